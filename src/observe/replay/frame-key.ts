import { isRecord } from '../../protocol/base/kinds.js';
import { type Frame, isControlRequest, isControlResponse } from '../../protocol/wire/frames.js';

/**
 * Which frames of a program may stand for each other: the answer to the same request, the next request of the same
 * kind, the next message. Their order among others may change from run to run.
 */
export function keyOf(frame: Frame): string {
  if (isControlResponse(frame)) return `response ${frame.response.request_id}`;
  if (isControlRequest(frame)) return `request ${frame.request.subtype}`;
  return frame.type;
}

/** Whether the agent asked for it, so that the program's own code decides how long it takes. */
export function isAnswer(frame: Frame): boolean {
  return frame.type === 'control_response';
}

/** The fields that are new in every run. */
const VOLATILE: ReadonlySet<string> = new Set(['request_id', 'uuid', 'session_id', 'timestamp']);

/** The part of a frame that can be compared. */
export function comparable(frame: Frame): unknown {
  if (isControlResponse(frame)) return without(frame.response as unknown as Record<string, unknown>);
  if (isControlRequest(frame)) return frame.request;
  return without(frame as unknown as Record<string, unknown>);
}

function without(frame: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(frame).filter(([name]) => !VOLATILE.has(name)));
}

/** What a frame of the program is, in words. `asked`: the agent's request that it answers. */
export function describeFrame(frame: Frame, asked: Frame | undefined): string {
  if (isControlRequest(frame)) return `the request "${frame.request.subtype}"`;
  if (!isControlResponse(frame))
    return frame.type === 'user' ? 'a message of the user' : `a frame "${frame.type}"`;
  if (asked === undefined || !isControlRequest(asked)) return 'an answer';
  const { subtype, server_name: server, message, tool_name: tool } = asked.request;
  if (subtype === 'can_use_tool') return `the permission for ${String(tool)}`;
  if (subtype === 'hook_callback') return `the answer of a hook${hookOf(asked.request.input)}`;
  if (subtype !== 'mcp_message' || !isRecord(message)) return `the answer to "${subtype}"`;
  const { method, params } = message;
  if (method === 'tools/call' && isRecord(params))
    return `the answer of the tool ${String(server)}.${String(params.name)}`;
  return `the answer of the server ${String(server)} to ${String(method)}`;
}

function hookOf(input: unknown): string {
  const event = isRecord(input) ? input.hook_event_name : undefined;
  return typeof event === 'string' ? ` for ${event}` : '';
}
