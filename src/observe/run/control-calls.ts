import type { TapeFrame } from '../tape-format.js';
import { type Fields, fieldsOf, stringOf } from './values.js';

/** A control request and what became of it. */
export interface ControlCall {
  readonly frame: number;
  readonly t: number;
  /** Of the request; the answer goes the other way. */
  readonly direction: '>' | '<';
  readonly subtype: string;
  /** The turn in which it was asked. */
  readonly turn: string | undefined;
  readonly request: Fields;
  end: number | undefined;
  lastFrame: number | undefined;
  outcome: 'open' | 'ok' | 'error' | 'cancelled';
  /** The payload of a success. */
  answer: unknown;
  error: string | undefined;
}

/** Pairs requests with their answers. Each side numbers its own: the same id may be open in both directions. */
export class ControlCalls {
  readonly all: ControlCall[] = [];
  readonly #open = new Map<string, ControlCall>();

  /** The requests that nobody has answered. */
  get open(): readonly ControlCall[] {
    return [...this.#open.values()];
  }

  /** The call that begins or ends with this frame. */
  add({ n, t, direction }: TapeFrame, frame: Fields, turn: string | undefined): ControlCall | undefined {
    if (frame.type === 'control_request') return this.#asked({ frame: n, t, direction, turn }, frame);
    if (frame.type === 'control_response') return this.#answered(n, t, direction, fieldsOf(frame.response));
    if (frame.type === 'control_cancel_request') return this.#cancelled(n, t, direction, frame);
    return undefined;
  }

  #asked(at: Pick<ControlCall, 'frame' | 't' | 'direction' | 'turn'>, fields: Fields): ControlCall {
    const request = fieldsOf(fields.request);
    const { frame, t, direction, turn } = at;
    const call: ControlCall = {
      frame,
      t,
      direction,
      turn,
      subtype: stringOf(request.subtype) ?? '',
      request,
      end: undefined,
      lastFrame: undefined,
      outcome: 'open',
      answer: undefined,
      error: undefined,
    };
    this.all.push(call);
    this.#open.set(`${direction}${String(stringOf(fields.request_id))}`, call);
    return call;
  }

  #answered(frame: number, t: number, direction: '>' | '<', response: Fields): ControlCall | undefined {
    const call = this.#taken(direction === '>' ? '<' : '>', response.request_id);
    if (call === undefined) return undefined;
    call.end = t;
    call.lastFrame = frame;
    call.outcome = response.subtype === 'error' ? 'error' : 'ok';
    call.answer = response.response;
    if (call.outcome === 'error') call.error = stringOf(response.error) ?? 'an error without words';
    return call;
  }

  /** Who has asked withdraws the question. */
  #cancelled(frame: number, t: number, direction: '>' | '<', fields: Fields): ControlCall | undefined {
    const call = this.#taken(direction, fields.request_id);
    if (call === undefined) return undefined;
    call.end = t;
    call.lastFrame = frame;
    call.outcome = 'cancelled';
    return call;
  }

  #taken(direction: '>' | '<', id: unknown): ControlCall | undefined {
    const key = `${direction}${String(stringOf(id))}`;
    const call = this.#open.get(key);
    this.#open.delete(key);
    return call;
  }
}
