import { isRecord } from '../base/kinds.js';

/**
 * What a line on the wire can be. The unions are closed only where the protocol is: a line of any other
 * `type` is a message for the consumer, whether or not we know it.
 */
export interface ControlRequestFrame {
  type: 'control_request';
  request_id: string;
  request: { subtype: string; [field: string]: unknown };
}

export interface ControlSuccess {
  subtype: 'success';
  request_id: string;
  /** Many of the CLI's answers have no payload at all. */
  response?: unknown;
  /** Siblings of the payload, such as `pending_permission_requests` on `initialize`. */
  [field: string]: unknown;
}

export interface ControlFailure {
  subtype: 'error';
  request_id: string;
  error: string;
  error_code?: string;
}

export interface ControlResponseFrame {
  type: 'control_response';
  response: ControlSuccess | ControlFailure;
}

export interface ControlCancelFrame {
  type: 'control_cancel_request';
  request_id: string;
}

export type ControlFrame = ControlRequestFrame | ControlResponseFrame | ControlCancelFrame;

/** Everything but control traffic: what the consumer sees, and the user messages we write. */
export interface MessageFrame {
  type: string;
  [field: string]: unknown;
}

export type Frame = ControlFrame | MessageFrame;

/** Any JSON object counts, even one whose `type` this version does not know. */
export function isFrame(value: unknown): value is Frame {
  return isRecord(value);
}

export function isControlRequest(frame: Frame): frame is ControlRequestFrame {
  return (
    frame.type === 'control_request' && isRecord(frame.request) && typeof frame.request.subtype === 'string'
  );
}

export function isControlResponse(frame: Frame): frame is ControlResponseFrame {
  return frame.type === 'control_response' && isRecord(frame.response);
}

export function isControlCancel(frame: Frame): frame is ControlCancelFrame {
  return frame.type === 'control_cancel_request';
}

/** True for every control line, including malformed ones: none of them is a message. */
export function isControlFrame(frame: Frame): boolean {
  return (
    frame.type === 'control_request' ||
    frame.type === 'control_response' ||
    frame.type === 'control_cancel_request'
  );
}
