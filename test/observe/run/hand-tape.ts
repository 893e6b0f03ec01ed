/** Tapes written by hand: a line for each thing that happens, at the time that is given. */
import { Run } from '../../../src/observe/run/run.js';
import type { PlayedLine, TapeHead } from '../../../src/testing/index.js';

type Json = Record<string, unknown>;

export const HEAD: TapeHead = {
  tape: 1,
  tenon: '0.0.0',
  node: 'v20.0.0',
  platform: 'linux-x64',
  startedAt: '2026-11-18T12:00:00.000Z',
  conversation: '00000000-0000-4000-8000-000000000000',
  backEnd: 'cli',
  agent: 'Claude Code',
  options: {},
};

export class HandTape {
  readonly lines: PlayedLine[] = [];
  readonly head: TapeHead;
  #frames = 0;

  constructor(head: Partial<TapeHead> = {}) {
    this.head = { ...HEAD, ...head };
  }

  /** The run of all lines; `over`: the tape has no more of them. */
  run(over = true): Run {
    const run = new Run(this.head);
    for (const line of this.lines) run.add(line);
    if (over) run.close();
    return run;
  }

  line(line: PlayedLine): this {
    this.lines.push(line);
    return this;
  }

  sent(t: number, frame: Json): this {
    return this.#frame(t, '>', frame);
  }

  got(t: number, frame: Json): this {
    return this.#frame(t, '<', frame);
  }

  #frame(t: number, direction: '>' | '<', frame: Json): this {
    this.#frames += 1;
    return this.line({ kind: 'frame', n: this.#frames, t, direction, frame: frame as { type: string } });
  }

  prompt(t: number, text = 'Go.'): this {
    return this.sent(t, { type: 'user', message: { role: 'user', content: text }, parent_tool_use_id: null });
  }

  init(t: number, fields: Json = {}): this {
    return this.got(t, {
      type: 'system',
      subtype: 'init',
      model: 'm',
      tools: [],
      mcp_servers: [],
      ...fields,
    });
  }

  text(t: number, id: string, text: string, parent: string | null = null): this {
    return this.#assistant(t, id, [{ type: 'text', text }], parent);
  }

  /** The model asks for tools: `{ toolu_1: 'stock' }`. */
  calls(t: number, id: string, tools: Record<string, string>, parent: string | null = null): this {
    const blocks = Object.entries(tools).map(([use, name]) => ({
      type: 'tool_use',
      id: use,
      name,
      input: {},
    }));
    return this.#assistant(t, id, blocks, parent);
  }

  #assistant(t: number, id: string, content: Json[], parent: string | null): this {
    const usage = { input_tokens: 10, output_tokens: 1 };
    const message = { id, role: 'assistant', model: 'm', content, usage };
    return this.got(t, { type: 'assistant', message, parent_tool_use_id: parent });
  }

  result(
    t: number,
    id: string,
    content: unknown = 'eight',
    more: Json = {},
    parent: string | null = null,
  ): this {
    const block = { type: 'tool_result', tool_use_id: id, content, ...more };
    const message = { role: 'user', content: [block] };
    return this.got(t, { type: 'user', message, parent_tool_use_id: parent });
  }

  end(t: number, fields: Json = {}): this {
    return this.got(t, {
      type: 'result',
      subtype: 'success',
      is_error: false,
      stop_reason: 'end_turn',
      terminal_reason: 'completed',
      result: 'Done.',
      duration_ms: 7,
      ...fields,
    });
  }

  asks(t: number, id: string, request: Json): this {
    return this.got(t, { type: 'control_request', request_id: id, request });
  }

  answers(t: number, id: string, response: Json): this {
    return this.sent(t, {
      type: 'control_response',
      response: { subtype: 'success', request_id: id, response },
    });
  }

  exit(t: number, agent: { code: number | null; signal: string | null } | null, more: Json = {}): this {
    const totals = { sent: 0, received: 0, requests: 0, results: 0 };
    return this.line({ kind: 'end', t, agent, totals, ...more } as PlayedLine);
  }
}
