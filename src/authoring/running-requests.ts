import type { Cancellation } from '../protocol/cancellation.js';
import { AbortError } from '../protocol/errors.js';
import type { JsonRpcId } from '../protocol/mcp.js';

interface RunningRequest {
  readonly requestId: JsonRpcId;
  readonly method: string;
  readonly cancellation: Cancellation;
}

/** The requests of one client that are being served, and the ways in which they are called off. */
export class RunningRequests {
  // Made with the first: most sessions that are open at a time serve nothing.
  #requests: Set<RunningRequest> | undefined;

  add(request: RunningRequest): void {
    this.#requests ??= new Set();
    this.#requests.add(request);
  }

  delete(request: RunningRequest): void {
    this.#requests?.delete(request);
  }

  /** As `notifications/cancelled` says. Where a client has used an id twice, a call is meant, never a handshake. */
  cancel({ requestId, reason }: Record<string, unknown> = {}): void {
    const named = [...(this.#requests ?? [])].filter((running) => running.requestId === requestId);
    const cancelled = named.findLast(({ method }) => method === 'tools/call') ?? named.at(-1);
    const text = typeof reason === 'string' ? reason : 'The call was cancelled.';
    cancelled?.cancellation.cancel(new AbortError(text));
  }

  /** The client has gone. */
  cancelAll(): void {
    if (!this.#requests?.size) return;
    const reason = new AbortError('The conversation has ended.');
    for (const { cancellation } of this.#requests) cancellation.cancel(reason);
  }
}
