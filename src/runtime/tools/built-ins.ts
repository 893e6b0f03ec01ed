import type { PermissionMode } from '../../protocol/permissions/permissions.js';
import type { FileMemory } from '../../workspace/files/file-memory.js';
import type { Workspace } from '../../workspace/workspace.js';
import type { AgentPlaces, Platform } from '../platform/platform.js';
import type { TaskBoard } from '../tasks/task-board.js';
import type { AddedText } from './tool-port.js';
import type { ToolSet } from './tool-source.js';

export type { AgentPlaces };

/** What the built-in tools know of the agent whose tools they are: the main one, or a subagent. */
export interface BuiltInContext {
  readonly workspace: Workspace;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: Platform;
  readonly tasks: TaskBoard;
  /** Changes when the conversation is cleared. */
  readonly sessionId: string;
  /** The user can be asked. */
  readonly canAsk: boolean;
  /** What this agent's model has seen of files. Default: nothing. */
  readonly files?: FileMemory | undefined;
  /** Called before a file is changed, by its path without links, so that the change can be taken back. */
  beforeChange?(real: string): Promise<void>;
  /** The directories besides the root that the agent may work in. */
  additionalDirectories(): readonly string[];
  /** Whether `tools` or `allowedTools` name the tool. */
  isNamed(tool: string): boolean;
  /** Whether a rule takes the tool away altogether. */
  isForbidden(tool: string): boolean;
  /** Whether the model has the tool. Not before the tools are listed. */
  offers(tool: string): boolean;
  /** Whether no rule forbids reading this file, by its path without links. */
  mayRead(real: string): boolean;
  /** Whether the tool Read would read this path without asking anybody. */
  readsFreely(path: string): Promise<boolean>;
  /** Called with a file that was read; resolves with what the model is told about the place where it is. */
  onRead(real: string): Promise<readonly AddedText[]>;
  /** Where it keeps what does not fit into the conversation, without links. */
  places(): Promise<AgentPlaces>;
  readonly mode: PermissionMode;
  setMode(mode: PermissionMode): void;
}

/** Opens the built-in tools for one agent. Loaded when there is a workspace: most conversations have none. */
export async function openBuiltIns(context: BuiltInContext): Promise<ToolSet> {
  const { workspaceTools } = await import('../../workspace/tools/workspace-tools.js');
  return workspaceTools(context);
}
