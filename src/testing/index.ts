/** `tenon/testing`: tools for testing agents, also used by Tenon's own tests. */
export type { Difference } from '../observe/first-difference.js';
export { type TapeDifference, TapeMismatchError } from '../observe/replay/differences.js';
export { type ReplayTapeOptions, replayTape, type TapeRuntime } from '../observe/replay/replay-tape.js';
export { type TapeView, viewTape } from '../observe/replay/view-tape.js';
export {
  type Tape,
  type TapeBlock,
  type TapeEnd,
  TapeError,
  type TapeFrame,
  type TapeHead,
  type TapeLine,
  type TapeTotals,
} from '../observe/tape-format.js';
export { asTape, type PlayedLine, type ReadLine, readTape, tapeLines } from '../observe/tape-reader.js';
export {
  type HostStorageCase,
  hostStorageConformance,
  type MakeHostStorage,
} from './host-storages/conformance.js';
export { type JournalCase, journalConformance, type MakeJournal } from './journals/conformance.js';
export type { OtherRequest, ScriptedMessagesApiOptions } from './messages-api/routes.js';
export { type ScriptedMessagesApi, scriptedMessagesApi } from './messages-api/server.js';
export { isClaudeCodeSideRequest } from './messages-api/side-requests.js';
export {
  CassetteMismatchError,
  type RecordReplayModel,
  type RecordReplayOptions,
  recordReplay,
} from './record-replay/record-replay.js';
export {
  type ModelScript,
  type ModelStep,
  ScriptedApiError,
  UnconsumedModelStepsError,
  UnexpectedModelCallError,
} from './script/earlier-names.js';
export { ScriptError, UnconsumedStepsError, UnexpectedRequestError } from './script/errors.js';
export type { ScriptStep } from './script/normalise-step.js';
export type { PlainStep, ScriptedToolUse } from './script/plain-step.js';
export type { Script } from './script/reader.js';
export type { WaitForRequest } from './script/recorder.js';
export type {
  MessagesRequestBody,
  RequestBlock,
  RequestMessage,
  RequestTool,
  ScriptedRequest,
  ToolResultBlock,
} from './script/request.js';
export {
  apiError,
  type BlockStepOptions,
  blocks,
  type Chunking,
  type DisconnectStep,
  delay,
  disconnect,
  type ErrorStep,
  hang,
  type MessageStep,
  type MessageStepOptions,
  type ScriptedBlock,
  type ScriptedCall,
  type ScriptedUsage,
  type StallStep,
  type Step,
  stall,
  text,
  thinking,
  toolUse,
  toolUses,
} from './script/steps.js';
export { type ScriptedModel, scriptedModel } from './scripted-model.js';
export {
  type MakeSessionStore,
  type SessionStoreCase,
  sessionStoreConformance,
} from './session-stores/conformance.js';
export { type MakeWorkspace, type WorkspaceCase, workspaceConformance } from './workspaces/conformance.js';
