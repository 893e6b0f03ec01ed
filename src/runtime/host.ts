import type {
  AgentRequestFields,
  AgentRequestPayload,
  AgentSubtype,
} from '../protocol/wire/control-requests.js';

/** The host, as seen by the parts of the runtime that send it requests. */
export interface Host {
  /** Rejects with the host's error, or when the signal is aborted (then the request is withdrawn). */
  ask<Subtype extends AgentSubtype>(
    subtype: Subtype,
    fields: AgentRequestFields<Subtype>,
    options?: { signal?: AbortSignal; forgottenBy?: AbortSignal; timeoutMs?: number },
  ): Promise<AgentRequestPayload<Subtype>>;
}
