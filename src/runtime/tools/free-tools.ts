import { parseRule } from '../../protocol/permissions/permission-rules.js';
import { currentToolName } from '../../protocol/wire/names.js';
import { askUserQuestion } from '../../workspace/tools/ask-user-question.js';
import { type Fetcher, webFetchTool } from '../../workspace/tools/web-fetch.js';
import type { RuntimeFlags } from '../start/flags.js';
import type { RuntimeTool } from './tool-port.js';

/** The built-in tools that need no workspace. A request stays small unless somebody asks for them. */
export function freeTools(
  { workspace, fetcher }: { readonly workspace?: unknown; readonly fetcher?: Fetcher | undefined },
  flags: RuntimeFlags,
): readonly RuntimeTool[] {
  // With a workspace it is one of its tools.
  const asks = workspace === undefined && canAsk(flags) && isNamed(askUserQuestion.name, flags);
  return [...(asks ? [askUserQuestion] : []), ...(fetcher === undefined ? [] : [webFetchTool(fetcher)])];
}

/** The user can be asked. */
export function canAsk({ permissionPromptTool, permissionPrompts }: RuntimeFlags): boolean {
  return permissionPromptTool === 'stdio' && permissionPrompts !== 'none';
}

/** Whether `tools` or `allowedTools` name the tool. */
export function isNamed(tool: string, { tools, allowedTools }: RuntimeFlags): boolean {
  const named = [...(Array.isArray(tools) ? tools : []), ...allowedTools];
  return named.some((text) => currentToolName(parseRule(text).tool) === tool);
}
