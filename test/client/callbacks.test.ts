/** What the agent asks of this side is a stranger's word: a field that is not what it must be is named, and nothing is called. */
import { expect, test, vi } from 'vitest';
import { Callbacks } from '../../src/client/callbacks/callbacks.js';
import { InProcessServers } from '../../src/client/mcp/in-process-servers.js';
import type { Options } from '../../src/index.js';
import { ControlChannel, type Frame } from '../../src/protocol/index.js';

/** Sends one request to the callbacks and returns the answer on the wire. */
async function answerTo(request: { subtype: string; [field: string]: unknown }, options: Options = {}) {
  const callbacks = new Callbacks(options, new InProcessServers({}), () => {});
  return new Promise<Frame>((resolve) => {
    const channel = new ControlChannel({
      send: resolve,
      serve: (inbound) => callbacks.serve(inbound),
      debug: () => {},
      malformed: () => {},
      changed: () => {},
    });
    channel.receive({ type: 'control_request', request_id: '1', request });
  });
}

test.each([
  [
    { subtype: 'can_use_tool', input: {}, tool_use_id: 't' },
    'can_use_tool: `tool_name` must be a string; it is missing.',
  ],
  [
    { subtype: 'can_use_tool', tool_name: 'Bash', input: ['ls'], tool_use_id: 't' },
    'can_use_tool: `input` must be an object; it is an array.',
  ],
  [
    { subtype: 'hook_callback', callback_id: 0, input: {} },
    'hook_callback: `callback_id` must be a string; it is a number.',
  ],
  [
    { subtype: 'hook_callback', callback_id: 'hook_0', input: null },
    'hook_callback: `input` must be an object; it is null.',
  ],
  [
    { subtype: 'mcp_message', server_name: 's', message: 'ping' },
    'mcp_message: `message` must be an object; it is a string.',
  ],
  [
    { subtype: 'elicitation', mcp_server_name: 's' },
    'elicitation: `message` must be a string; it is missing.',
  ],
  [
    { subtype: 'request_user_dialog', payload: {} },
    'request_user_dialog: `dialog_kind` must be a string; it is missing.',
  ],
])('%j is refused, and no callback runs (R14)', async (request, error) => {
  const callback = vi.fn();
  const options: Options = {
    canUseTool: callback,
    onElicitation: callback,
    onUserDialog: callback,
    hooks: { Stop: [{ hooks: [callback] }] },
  };
  expect(await answerTo(request, options)).toEqual({
    type: 'control_response',
    response: { subtype: 'error', request_id: '1', error, error_code: 'invalid_request' },
  });
  expect(callback).not.toHaveBeenCalled();
});

test('what decorates a question is left out where it is not what the types promise (R21)', async () => {
  const canUseTool = vi.fn(async () => ({ behavior: 'deny' as const, message: 'no' }));
  await answerTo(
    {
      subtype: 'can_use_tool',
      tool_name: 'Bash',
      input: {},
      tool_use_id: 't',
      title: { text: 'Run it' },
      description: 'Runs it',
      default_to_no: 'yes',
      permission_suggestions: {},
      matched_ask_rule: { source: 'session' },
    },
    { canUseTool },
  );
  expect(canUseTool).toHaveBeenCalledWith(
    'Bash',
    {},
    {
      signal: expect.any(AbortSignal),
      requestId: '1',
      toolUseID: 't',
      description: 'Runs it',
    },
  );
});
