// Values of the official SDK's types fit into Tenon's, and Tenon's into those: half a program can move at a time.
import type * as official from '@anthropic-ai/claude-agent-sdk';
import type * as tenon from 'tenon';

/** Fails to compile where `From` does not fit into `Into`. */
type Fits<From extends Into, Into> = From;

export type Claims = [
  Fits<official.Options, tenon.Options>,
  Fits<official.SDKMessage, tenon.SDKMessage>,
  Fits<tenon.SDKMessage, official.SDKMessage>,
  Fits<official.SDKUserMessage, tenon.SDKUserMessage>,
  Fits<tenon.SDKUserMessage, official.SDKUserMessage>,
  Fits<official.SDKResultMessage, tenon.SDKResultMessage>,
  Fits<tenon.SDKResultMessage, official.SDKResultMessage>,
  Fits<official.SDKAssistantMessage, tenon.SDKAssistantMessage>,
  Fits<tenon.SDKAssistantMessage, official.SDKAssistantMessage>,
  Fits<official.CanUseTool, tenon.CanUseTool>,
  Fits<official.HookCallback, tenon.HookCallback>,
  Fits<official.HookInput, tenon.HookInput>,
  Fits<official.PermissionResult, tenon.PermissionResult>,
  Fits<tenon.PermissionResult, official.PermissionResult>,
  Fits<official.PermissionUpdate, tenon.PermissionUpdate>,
  Fits<tenon.PermissionUpdate, official.PermissionUpdate>,
  Fits<official.McpServerConfig, tenon.McpServerConfig>,
  Fits<official.AgentDefinition, tenon.AgentDefinition>,
];

/** An import that was not found would be `any`, and fit everywhere. */
type IsAny<T> = 0 extends 1 & T ? true : false;
export type Found = Fits<
  | IsAny<official.Options>
  | IsAny<official.SDKMessage>
  | IsAny<official.SDKAssistantMessage['message']>
  | IsAny<official.SDKAssistantMessage['message']['content'][number]>
  | IsAny<official.SDKUserMessage['message']>
  | IsAny<official.SDKPartialAssistantMessage['event']>,
  false
>;

/** Every option and every method of a query that the official SDK has. */
export type Missing = [
  Exclude<keyof official.Options, keyof tenon.Options>,
  Exclude<keyof official.Query, keyof tenon.Query>,
];
const nothing: Missing extends [never, never] ? true : Missing = true;

export { nothing };
