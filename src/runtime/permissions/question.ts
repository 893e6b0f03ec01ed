import type { HookOpinion } from '../../protocol/permissions/permission-decision.js';
import type { PreparedCall, RuntimeTool, ToolAccess } from '../tools/tool-port.js';
import type { AskingAgent } from './asking-agent.js';
import type { DecisionFields } from './reports.js';

export type Decision =
  | {
      kind: 'allow';
      input: Record<string, unknown>;
      /** What was permitted, if the tool said what it touches. */
      access: ToolAccess | undefined;
      fields: DecisionFields;
    }
  | { kind: 'deny'; message: string; interrupt: boolean; fields: DecisionFields };

export interface Question {
  tool: RuntimeTool;
  toolUseId: string;
  input: Record<string, unknown>;
  /** What the tool says that the call touches. */
  access: ToolAccess | undefined;
  /** Asks the tool again, about an input that the host has changed. */
  prepare(input: Record<string, unknown>): Promise<PreparedCall>;
  hook: HookOpinion;
  signal: AbortSignal;
  agent?: AskingAgent | undefined;
  /** Nobody is asked: what would be a question is a denial, which only the caller tells of. */
  isUnasked?: boolean;
}
