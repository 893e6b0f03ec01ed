// Types of the wire under the names of the official SDK. Tenon's own are in frames.ts, control-requests.ts and
// transport.ts; these are for programs that name them.

import type { AgentRequestFields, AgentSubtype, HostRequestFields, HostSubtype } from './control-requests.js';
import type { ControlCancelFrame, ControlFailure, ControlSuccess } from './frames.js';
import type { SDKMessage } from './messages/index.js';

type Request<Subtype extends string, Fields> = { subtype: Subtype } & Fields;

export type SDKControlRequest = {
  type: 'control_request';
  request_id: string;
  request:
    | { [Subtype in HostSubtype]: Request<Subtype, HostRequestFields<Subtype>> }[HostSubtype]
    | { [Subtype in AgentSubtype]: Request<Subtype, AgentRequestFields<Subtype>> }[AgentSubtype];
};

export type SDKControlResponse = {
  type: 'control_response';
  response: ControlSuccess | ControlFailure;
};

type KeepAlive = { type: 'keep_alive' };

/** The transport of the official SDK, which its public functions do not take. Tenon's own is in `tenon/protocol`. */
export interface Transport {
  write(data: string): void | Promise<void>;
  close(): void;
  isReady(): boolean;
  readMessages(): AsyncGenerator<
    SDKMessage | SDKControlRequest | SDKControlResponse | ControlCancelFrame | KeepAlive,
    void,
    unknown
  >;
  expectControlResponse?(requestId: string): void;
  markDelivered?(message: object): void;
  endInput(): void;
  waitForExit?(): Promise<void>;
}
