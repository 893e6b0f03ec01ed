import type {
  SDKControlCancelRequest,
  SDKControlRequest,
  SDKControlResponse,
} from '../wire/control-requests.js';
import type { SDKMessage } from '../wire/messages/index.js';

/**
 * What the official SDK calls `Transport`, for programs that name the type; none of its public functions
 * takes one. Tenon's own transport is in transport.ts.
 */
export interface OfficialTransport {
  write(data: string): void | Promise<void>;
  close(): void;
  isReady(): boolean;
  readMessages(): AsyncGenerator<
    SDKMessage | SDKControlRequest | SDKControlResponse | SDKControlCancelRequest | { type: 'keep_alive' },
    void,
    unknown
  >;
  expectControlResponse?(requestId: string): void;
  markDelivered?(message: object): void;
  endInput(): void;
  waitForExit?(): Promise<void>;
}
