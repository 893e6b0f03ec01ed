import type { ToolResultBlockParam, ToolUseBlock } from '../../protocol/wire/content.js';
import type { MessageFrame } from '../../protocol/wire/frames.js';
import type { Lines } from '../conversation/lines.js';

/** Whose lines they are, and what the host sees of them. */
export interface ShownAgent {
  readonly id: string;
  readonly type: string;
  /** The call that has started it. */
  readonly toolUseId: string;
  readonly description: string;
  readonly depth: number;
  readonly isBackgrounded: boolean;
  /** The call that waited for it was interrupted: nobody wants to know any more. */
  readonly isMuted: boolean;
  /** All of its lines are shown, wherever it runs. */
  readonly isForwarded: boolean;
  /** Called with each call that it makes. */
  onCall(block: ToolUseBlock, line: MessageFrame): void;
}

/** Lines about the conversation as a whole, which a subagent is not. */
const OF_THE_MAIN_AGENT: ReadonlySet<unknown> = new Set(['status', 'compact_boundary']);

/**
 * The lines of a subagent. In the foreground the host sees its calls and their results, in the background and with
 * `forwardSubagentText` its words too; one that a subagent waits for shows nothing of itself.
 */
export function agentLines(main: Lines, agent: ShownAgent): Lines {
  return main.through((line, send) => {
    const { type, subtype } = line;
    if (type === 'stream_event') return true;
    if (type === 'system') return OF_THE_MAIN_AGENT.has(subtype) || send(line);
    if (type !== 'assistant' && type !== 'user') return send(line);
    const block = firstBlock(line);
    const isCall = type === 'assistant' && block?.type === 'tool_use';
    const show = (): boolean =>
      isShown(agent, isCall || block?.type === 'tool_result') ? send(marked(line, agent)) : true;
    if (!isCall) return show();
    // As in the CLI: before its line in the foreground, and after it in the background.
    if (!agent.isBackgrounded) agent.onCall(block as ToolUseBlock, line);
    const hasRoom = show();
    if (agent.isBackgrounded) agent.onCall(block as ToolUseBlock, line);
    return hasRoom;
  });
}

function isShown(agent: ShownAgent, isAboutCall: boolean): boolean {
  if (agent.isBackgrounded || agent.isForwarded) return true;
  return agent.depth === 1 && isAboutCall && !agent.isMuted;
}

/** The fields by which a host knows whose line it is. Details of results are the agent's own. */
export function marked(line: MessageFrame, agent: ShownAgent): MessageFrame {
  const { tool_use_result, tool_result_meta, ...rest } = line;
  const block = firstBlock(line);
  const isFailure = block?.type === 'tool_result' && (block as ToolResultBlockParam).is_error === true;
  const isRejected = tool_use_result === REJECTED;
  return {
    ...rest,
    parent_tool_use_id: agent.toolUseId,
    agent_id: agent.id,
    ...(isFailure ? { tool_use_result } : {}),
    ...(tool_result_meta === undefined || isRejected ? {} : { tool_result_meta }),
    subagent_type: agent.type,
    task_description: agent.description,
  };
}

const REJECTED = 'User rejected tool use';

function firstBlock({ message }: MessageFrame): { type?: unknown } | undefined {
  const { content } = (message ?? {}) as { content?: unknown };
  return Array.isArray(content) ? content[0] : undefined;
}
