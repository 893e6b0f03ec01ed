/** `tenon/testing`: what users, and we ourselves, test agents with. */
export { ScriptedApiError, UnconsumedStepsError, UnexpectedRequestError } from './messages-api/errors.js';
export type {
  MessagesRequestBody,
  RequestBlock,
  ScriptedRequest,
  ToolResultBlock,
} from './messages-api/request.js';
export type { OtherRequest, ScriptedMessagesApiOptions } from './messages-api/routes.js';
export type { Script } from './messages-api/script.js';
export { type ScriptedMessagesApi, scriptedMessagesApi } from './messages-api/server.js';
export { isClaudeCodeSideRequest } from './messages-api/side-requests.js';
export {
  apiError,
  blocks,
  delay,
  disconnect,
  type ErrorStep,
  hang,
  type MessageStep,
  type MessageStepOptions,
  type ScriptedBlock,
  type ScriptedUsage,
  type Step,
  stall,
  text,
  thinking,
  toolUse,
  toolUses,
} from './messages-api/steps.js';
export type { Difference } from './record-replay/first-difference.js';
export {
  CassetteMismatchError,
  type RecordReplayModel,
  type RecordReplayOptions,
  recordReplay,
} from './record-replay/record-replay.js';
export {
  type ModelScript,
  type ModelStep,
  type ScriptedModel,
  type ScriptedToolUse,
  scriptedModel,
  UnconsumedModelStepsError,
  UnexpectedModelCallError,
} from './scripted-model/scripted-model.js';
export {
  type MakeSessionStore,
  type SessionStoreCase,
  sessionStoreConformance,
} from './session-stores/conformance.js';
