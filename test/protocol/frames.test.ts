/** What a line of the wire is taken for. */
import { describe, expect, it } from 'vitest';
import {
  type Frame,
  isControlCancel,
  isControlFrame,
  isControlRequest,
  isControlResponse,
  isFrame,
} from '../../src/protocol/index.js';

describe('a JSON value', () => {
  it.each<[unknown, boolean]>([
    [{ type: 'assistant' }, true],
    [{ type: 'a type that nobody knows' }, true],
    [{}, true],
    [[], false],
    [null, false],
    ['text', false],
    [42, false],
    [true, false],
  ])('%j is a frame: %s', (value, expected) => {
    expect(isFrame(value)).toBe(expected);
  });
});

type Kind = 'request' | 'response' | 'cancel' | 'malformed' | 'message';

function kindOf(frame: Frame): Kind[] {
  const kinds: Kind[] = [];
  if (isControlRequest(frame)) kinds.push('request');
  if (isControlResponse(frame)) kinds.push('response');
  if (isControlCancel(frame)) kinds.push('cancel');
  if (kinds.length > 0) return kinds;
  return [isControlFrame(frame) ? 'malformed' : 'message'];
}

describe('a frame', () => {
  it.each<[object, Kind]>([
    [{ type: 'control_request', request_id: '1', request: { subtype: 'initialize' } }, 'request'],
    // The CLI answers a request without an id; so do we.
    [{ type: 'control_request', request: { subtype: 'initialize' } }, 'request'],
    [{ type: 'control_request', request_id: '1', request: { subtype: 'unheard_of', x: 1 } }, 'request'],
    [{ type: 'control_request', request_id: '1', request: {} }, 'malformed'],
    [{ type: 'control_request', request_id: '1', request: { subtype: 7 } }, 'malformed'],
    [{ type: 'control_request', request_id: '1', request: [] }, 'malformed'],
    [{ type: 'control_request', request_id: '1' }, 'malformed'],
    [{ type: 'control_response', response: { subtype: 'success', request_id: '1' } }, 'response'],
    [{ type: 'control_response', response: { subtype: 'error', request_id: '1', error: 'x' } }, 'response'],
    [{ type: 'control_response', request_id: '1' }, 'malformed'],
    [{ type: 'control_response', response: null }, 'malformed'],
    [{ type: 'control_cancel_request', request_id: '1' }, 'cancel'],
    [{ type: 'keep_alive' }, 'message'],
    [{ type: 'system', subtype: 'init' }, 'message'],
    [{ type: 'never heard of' }, 'message'],
    [{}, 'message'],
  ])('%j is one thing only: a %s', (frame, kind) => {
    expect(kindOf(frame as Frame)).toEqual([kind]);
  });
});
