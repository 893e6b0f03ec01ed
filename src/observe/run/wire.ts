import type { PlayedLine } from '../tape-reader.js';
import type { Run } from './run.js';
import { type Fields, fieldsOf, jsonOf, recordsOf, short, stringOf, textOf } from './values.js';

/** One line of the Wire view. */
export interface WireRow {
  /** Its place among the rows, which is that of its line in `run.lines`. */
  readonly index: number;
  /** Of a frame. */
  readonly n: number | undefined;
  readonly t: number;
  /** `·`: nothing was sent; the recorder tells something. */
  readonly direction: '>' | '<' | '·';
  /** The type of a frame, or the kind of another line. */
  readonly type: string;
  /** The subtype, and the method of an MCP message: `can_use_tool`, `mcp_message tools/call`. */
  readonly name: string;
  /** The tool that it is about, as the model calls it. */
  readonly tool: string | undefined;
  /** What is in it, in short. */
  readonly text: string;
  /** The row that answers it, or that it answers. */
  pair: number | undefined;
  /** Of requests: what became of them. */
  state: 'open' | 'ok' | 'error' | 'cancelled' | undefined;
}

interface Rows {
  readonly rows: WireRow[];
  readonly open: Map<string, WireRow>;
}

const KEPT = new WeakMap<Run, Rows>();
const TEXT_CHARS = 200;

/** A row for each line, in order. The same rows come again, and those of open requests change. */
export function wireRowsOf(run: Run): readonly WireRow[] {
  const kept: Rows = KEPT.get(run) ?? { rows: [], open: new Map() };
  KEPT.set(run, kept);
  const { rows } = kept;
  while (rows.length < run.lines.length) {
    const line = run.lines[rows.length] as PlayedLine;
    const row = rowOf(run, line, rows.length);
    rows.push(row);
    pairUp(kept, row, line);
  }
  return rows;
}

function rowOf(run: Run, line: PlayedLine, index: number): WireRow {
  const { t } = line;
  const [pair, state] = [undefined, undefined];
  if (line.kind !== 'frame') {
    const name = 'id' in line ? jsonOf(line.id) : '';
    const text = otherText(line);
    return {
      index,
      n: undefined,
      t,
      direction: '·',
      type: line.kind,
      name,
      tool: undefined,
      text,
      pair,
      state,
    };
  }
  const frame = fieldsOf(line.frame);
  const request = fieldsOf(frame.request);
  const { n, direction } = line;
  const type = stringOf(frame.type) ?? 'unknown';
  const name = nameOf(frame, request);
  const tool = toolOf(run, frame, request);
  const text = short(textOfFrame(frame, request), TEXT_CHARS);
  return { index, n, t, direction, type, name, tool, text, pair, state };
}

function otherText(line: Exclude<PlayedLine, { kind: 'frame' }>): string {
  if (line.kind === 'stderr' || line.kind === 'noise') return short(stringOf(line.text) ?? '', TEXT_CHARS);
  if (line.kind === 'request') return short(stringOf(fieldsOf(line.request).model) ?? '', TEXT_CHARS);
  if (line.kind === 'answer') {
    const failure = stringOf(fieldsOf(line.error).message);
    return short(failure ?? `${recordsOf(line.events).length} events`, TEXT_CHARS);
  }
  if (line.kind === 'exchange') return short(stringOf(line.messageId) ?? '', TEXT_CHARS);
  if (line.kind === 'span') return short(stringOf(fieldsOf(line.span).name) ?? '', TEXT_CHARS);
  if (line.kind === 'dropped') return short(jsonOf(line.dropped), TEXT_CHARS);
  return line.kind === 'end' ? short(jsonOf(line.agent), TEXT_CHARS) : '';
}

function nameOf(frame: Fields, request: Fields): string {
  const subtype = stringOf(request.subtype) ?? stringOf(frame.subtype) ?? '';
  if (subtype === 'mcp_message')
    return `mcp_message ${stringOf(fieldsOf(request.message).method) ?? 'answer'}`;
  if (subtype === 'hook_callback') {
    return `hook_callback ${stringOf(fieldsOf(request.input).hook_event_name) ?? ''}`.trim();
  }
  if (frame.type === 'control_response') return stringOf(fieldsOf(frame.response).subtype) ?? '';
  if (frame.type === 'stream_event') return stringOf(fieldsOf(frame.event).type) ?? '';
  return subtype;
}

function toolOf(run: Run, frame: Fields, request: Fields): string | undefined {
  const named =
    stringOf(request.tool_name) ?? stringOf(fieldsOf(request.input).tool_name) ?? stringOf(frame.tool_name);
  if (named !== undefined) return named;
  const { params } = fieldsOf(request.message);
  const id =
    fieldsOf(fieldsOf(params)._meta)['claudecode/toolUseId'] ?? request.tool_use_id ?? frame.tool_use_id;
  if (id !== undefined) return run.tools.get(id)?.name;
  for (const block of recordsOf(fieldsOf(frame.message).content)) {
    if (block.type === 'tool_use') return stringOf(block.name);
    if (block.type === 'tool_result') return run.tools.get(block.tool_use_id)?.name;
  }
  return undefined;
}

function textOfFrame(frame: Fields, request: Fields): string {
  if (frame.type === 'control_request') {
    const { message, input } = request;
    const params = fieldsOf(fieldsOf(message).params);
    return jsonOf(params.arguments ?? fieldsOf(message).params ?? input ?? rest(request));
  }
  if (frame.type === 'control_response') {
    const response = fieldsOf(frame.response);
    return stringOf(response.error) ?? jsonOf(response.response);
  }
  const { content } = fieldsOf(frame.message);
  for (const block of recordsOf(content)) {
    if (block.type === 'tool_use') return jsonOf(block.input);
    if (block.type === 'tool_result') return textOf(block.content);
  }
  if (content !== undefined) return textOf(content);
  if (frame.type === 'result') return stringOf(frame.result) ?? jsonOf(frame.errors);
  if (frame.type === 'stream_event') return jsonOf(fieldsOf(frame.event).delta);
  return stringOf(frame.message) ?? stringOf(frame.state) ?? '';
}

function rest({ subtype: _subtype, ...fields }: Fields): Fields {
  return fields;
}

function pairUp({ open, rows }: Rows, row: WireRow, line: PlayedLine): void {
  const key = keyOf(line);
  if (key === undefined) return;
  if (key.opens) {
    row.state = 'open';
    open.set(key.id, row);
    return;
  }
  const request = open.get(key.id);
  if (request === undefined) return;
  open.delete(key.id);
  request.state = key.outcome;
  request.pair = rows.length - 1;
  row.pair = request.index;
}

interface PairKey {
  readonly id: string;
  readonly opens: boolean;
  readonly outcome: 'ok' | 'error' | 'cancelled';
}

/** Each side numbers its own requests, and so does the recorder those to the model. */
function keyOf(line: PlayedLine): PairKey | undefined {
  if (line.kind === 'request') return { id: `model ${jsonOf(line.id)}`, opens: true, outcome: 'ok' };
  if (line.kind === 'answer') {
    const outcome = line.error === undefined ? 'ok' : 'error';
    return { id: `model ${jsonOf(line.id)}`, opens: false, outcome };
  }
  if (line.kind !== 'frame') return undefined;
  const { direction } = line;
  const frame = fieldsOf(line.frame);
  if (frame.type === 'control_response') {
    const response = fieldsOf(frame.response);
    const outcome = response.subtype === 'error' ? 'error' : 'ok';
    return { id: `${direction === '>' ? '<' : '>'} ${stringOf(response.request_id)}`, opens: false, outcome };
  }
  const id = `${direction} ${stringOf(frame.request_id)}`;
  if (frame.type === 'control_request') return { id, opens: true, outcome: 'ok' };
  if (frame.type === 'control_cancel_request') return { id, opens: false, outcome: 'cancelled' };
  return undefined;
}
