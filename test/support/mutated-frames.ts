/**
 * Frames as nobody should send them: one of every kind that the protocol knows, with values replaced by others. What
 * `String(x)`, a template, `for … of`, `.map` or a destructuring would throw on is among them.
 */
import fc from './property.js';

type Json = Record<string, unknown>;

const session_id = '00000000-0000-4000-8000-000000000000';
const uuid = '00000000-0000-4000-8000-000000000001';
const usage = { input_tokens: 1, output_tokens: 1, server_tool_use: { web_search_requests: 0 } };
const request = (body: Json): Json => ({ type: 'control_request', request_id: 'r', request: body });
const message = (content: unknown, role = 'user'): Json => ({ role, content });

/** What an agent writes. */
export const AGENT_FRAMES: readonly Json[] = [
  {
    type: 'system',
    subtype: 'init',
    session_id,
    uuid,
    tools: ['Read'],
    mcp_servers: [{ name: 's', status: 'connected' }],
    model: 'm',
    cwd: '/',
    permissionMode: 'default',
    slash_commands: [],
    skills: [],
    plugins: [],
  },
  { type: 'system', subtype: 'session_state_changed', state: 'running', sdk_host_only: false, session_id },
  {
    type: 'system',
    subtype: 'background_tasks_changed',
    tasks: [{ task_id: 't1', task_type: 'shell', description: 'd' }],
    session_id,
  },
  { type: 'system', subtype: 'task_started', task_id: 't1', description: 'd', session_id },
  {
    type: 'system',
    subtype: 'task_notification',
    task_id: 't1',
    status: 'completed',
    output_file: '/o',
    summary: 's',
    session_id,
  },
  { type: 'system', subtype: 'status', status: null, session_id },
  {
    type: 'system',
    subtype: 'api_retry',
    attempt: 1,
    max_retries: 2,
    retry_delay_ms: 3,
    error_status: 500,
    session_id,
  },
  { type: 'system', subtype: 'informational', content: 'c', level: 'warning', session_id },
  {
    type: 'assistant',
    message: {
      id: 'm',
      ...message(
        [
          { type: 'text', text: 'hi' },
          { type: 'tool_use', id: 'u', name: 'Read', input: {} },
        ],
        'assistant',
      ),
      usage,
    },
    parent_tool_use_id: null,
    session_id,
    uuid,
  },
  {
    type: 'user',
    message: message([
      { type: 'tool_result', tool_use_id: 'u', content: [{ type: 'text', text: 'r' }] },
      { type: 'text', text: '[Request interrupted by user]' },
    ]),
    parent_tool_use_id: null,
    session_id,
  },
  {
    type: 'stream_event',
    event: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'x' } },
    session_id,
  },
  {
    type: 'tool_progress',
    tool_use_id: 'u',
    tool_name: 'Read',
    parent_tool_use_id: null,
    elapsed_time_seconds: 1,
    session_id,
  },
  { type: 'rate_limit_event', rate_limit_info: { status: 'allowed', resetsAt: 7 }, session_id },
  {
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: 'done',
    num_turns: 1,
    terminal_reason: 'completed',
    structured_output: { a: 1 },
    api_error_status: null,
    usage,
    modelUsage: {},
    permission_denials: [],
    session_id,
  },
  {
    type: 'result',
    subtype: 'success',
    is_error: true,
    result: 'API Error: 500 x',
    api_error_status: 500,
    session_id,
  },
  {
    type: 'result',
    subtype: 'error_during_execution',
    is_error: true,
    errors: ['one', 'two'],
    terminal_reason: 'aborted_tools',
    session_id,
  },
  {
    type: 'transcript_mirror',
    filePath: '/p/projects/key/id.jsonl',
    entries: [{ type: 'user', uuid, sessionId: session_id }],
  },
  { type: 'keep_alive' },
  request({
    subtype: 'can_use_tool',
    tool_name: 'Read',
    input: { path: 'p' },
    tool_use_id: 'u',
    permission_suggestions: [],
    matched_ask_rule: { source: 's', tool_name: 'Read' },
    mcp_server: { name: 's', source: 'sdk' },
  }),
  request({
    subtype: 'hook_callback',
    callback_id: 'hook_0',
    input: { hook_event_name: 'PreToolUse', tool_name: 'Read', tool_input: {} },
    tool_use_id: 'u',
  }),
  request({
    subtype: 'mcp_message',
    server_name: 's',
    message: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'echo', arguments: { text: 'x' }, _meta: { progressToken: 1 } },
    },
  }),
  request({
    subtype: 'mcp_message',
    server_name: 's',
    message: { jsonrpc: '2.0', id: 2, method: 'tools/list', params: { cursor: undefined } },
  }),
  request({
    subtype: 'mcp_message',
    server_name: 's',
    message: {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'claude-code', version: '1' },
      },
    },
  }),
  request({
    subtype: 'mcp_message',
    server_name: 's',
    message: { jsonrpc: '2.0', id: 3, method: 'resources/read', params: { uri: 'a://b' } },
  }),
  request({
    subtype: 'mcp_message',
    server_name: 's',
    message: { jsonrpc: '2.0', id: 4, method: 'prompts/get', params: { name: 'p', arguments: { a: 'b' } } },
  }),
  request({
    subtype: 'mcp_message',
    server_name: 's',
    message: {
      jsonrpc: '2.0',
      id: 5,
      method: 'completion/complete',
      params: { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: 'b' } },
    },
  }),
  request({
    subtype: 'mcp_message',
    server_name: 's',
    message: { jsonrpc: '2.0', id: 6, method: 'logging/setLevel', params: { level: 'info' } },
  }),
  request({
    subtype: 'mcp_message',
    server_name: 's',
    message: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, reason: 'r' } },
  }),
  request({
    subtype: 'mcp_message',
    server_name: 's',
    message: { jsonrpc: '2.0', id: 'tenon_1', result: { action: 'accept' } },
  }),
  request({
    subtype: 'mcp_message',
    server_name: 'foreign',
    message: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'echo', arguments: { text: 'x' }, _meta: { progressToken: 1 } },
    },
  }),
  request({
    subtype: 'mcp_message',
    server_name: 'foreign',
    message: { jsonrpc: '2.0', id: 3, method: 'resources/subscribe', params: { uri: 'a://b' } },
  }),
  request({
    subtype: 'elicitation',
    mcp_server_name: 's',
    message: 'm',
    mode: 'form',
    requested_schema: { type: 'object' },
  }),
  request({ subtype: 'request_user_dialog', dialog_kind: 'k', payload: {} }),
  {
    type: 'control_response',
    response: {
      subtype: 'success',
      request_id: 'tenon_1',
      response: { commands: [], models: [], account: {} },
    },
  },
  {
    type: 'control_response',
    response: { subtype: 'error', request_id: 'tenon_2', error: 'no', error_code: 'c' },
  },
  { type: 'control_cancel_request', request_id: 'nothing' },
];

const server = {
  initializeResult: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    serverInfo: { name: 's', version: '1' },
  },
  toolsListResult: {
    tools: [
      {
        name: 'echo',
        description: 'd',
        inputSchema: { type: 'object' },
        annotations: { readOnlyHint: true },
        _meta: { 'anthropic/alwaysLoad': true },
      },
    ],
  },
};

/** What a host writes. */
export const HOST_FRAMES: readonly Json[] = [
  { type: 'user', message: message('hi'), parent_tool_use_id: null, session_id: '', uuid },
  {
    type: 'user',
    message: message([
      { type: 'text', text: 'hi' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: '' } },
    ]),
    parent_tool_use_id: null,
    shouldQuery: true,
  },
  request({
    subtype: 'initialize',
    hooks: { PreToolUse: [{ matcher: 'Read', hookCallbackIds: ['hook_0'], timeout: 5 }] },
    sdkMcpServers: ['s'],
    sdkMcpServerConfigs: { s: { timeout: 1000, tools: [{ name: 'echo', permission_policy: 'always_ask' }] } },
    sdkMcpServerManifests: { s: server },
    systemPrompt: ['p'],
    appendSystemPrompt: 'a',
    jsonSchema: { type: 'object' },
  }),
  request({ subtype: 'interrupt', cancel_queued: true }),
  request({ subtype: 'set_model', model: 'm' }),
  request({ subtype: 'set_permission_mode', mode: 'default' }),
  request({ subtype: 'set_max_thinking_tokens', max_thinking_tokens: 1 }),
  request({ subtype: 'mcp_status' }),
  request({ subtype: 'mcp_reconnect', serverName: 's' }),
  request({ subtype: 'mcp_toggle', serverName: 's', enabled: true }),
  request({ subtype: 'mcp_set_servers', servers: { t: { type: 'sdk', name: 't', timeout: 5, tools: [] } } }),
  request({
    subtype: 'mcp_message',
    server_name: 's',
    message: { jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: {} },
  }),
  request({
    subtype: 'mcp_message',
    server_name: 's',
    message: {
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 2, progress: 1, total: 2, message: 'm' },
    },
  }),
  request({
    subtype: 'mcp_message',
    server_name: 's',
    message: { jsonrpc: '2.0', id: 2, result: { content: [] } },
  }),
  request({ subtype: 'mcp_call', tool: 'mcp__s__echo', arguments: {}, timeout_ms: 5 }),
  request({ subtype: 'mcp_list_resources', serverName: 's' }),
  request({ subtype: 'mcp_read_resource', serverName: 's', uri: 'a://b' }),
  request({ subtype: 'mcp_get_prompt', serverName: 's', name: 'p', arguments: { a: 'b' } }),
  request({ subtype: 'get_context_usage' }),
  request({ subtype: 'get_settings' }),
  request({ subtype: 'get_hooks_listing' }),
  request({ subtype: 'list_permission_rules' }),
  request({ subtype: 'cancel_async_message', message_uuid: uuid }),
  request({ subtype: 'stop_task', task_id: 't' }),
  request({ subtype: 'get_task_output', task_id: 't' }),
  request({ subtype: 'no_such_subtype', x: 1 }),
  {
    type: 'control_response',
    response: {
      subtype: 'success',
      request_id: 'tenon_1',
      response: { behavior: 'allow', updatedInput: {} },
    },
  },
  { type: 'control_response', response: { subtype: 'error', request_id: 'tenon_1', error: 'no' } },
  { type: 'control_cancel_request', request_id: 'r' },
  { type: 'keep_alive' },
];

/** What a host may answer to the runtime's own requests. */
export const HOST_ANSWERS: Readonly<Record<string, readonly Json[]>> = {
  mcp_message: [
    {
      mcp_response: {
        jsonrpc: '2.0',
        id: 0,
        result: {
          content: [{ type: 'text', text: 'x' }],
          structuredContent: {},
          tools: server.toolsListResult.tools,
          ...server.initializeResult,
        },
      },
    },
    { mcp_response: { jsonrpc: '2.0', id: 0, error: { code: -32000, message: 'no', data: {} } } },
  ],
  can_use_tool: [
    {
      behavior: 'allow',
      updatedInput: {},
      updatedPermissions: [
        { type: 'addRules', rules: [{ toolName: 'x' }], behavior: 'allow', destination: 'session' },
      ],
    },
    { behavior: 'deny', message: 'no', interrupt: false },
  ],
  hook_callback: [
    {
      continue: true,
      systemMessage: 's',
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'allow',
        permissionDecisionReason: 'r',
        updatedInput: {},
        additionalContext: 'c',
      },
    },
    { decision: 'block', reason: 'r', stopReason: 's' },
  ],
  elicitation: [{ action: 'accept', content: {} }],
};

/** None of these is what a reader of a field expects, and some throw when they are made a string. */
export const HOSTILE: readonly unknown[] = [
  null,
  7,
  -1,
  1.5,
  '',
  'text',
  true,
  false,
  [],
  {},
  [null],
  [[]],
  ['a', 7],
  [{ toString: 1 }],
  { toString: 1 },
  { toString: 1, valueOf: 1 },
  { toString: 'x' },
  { length: 3 },
  JSON.parse('{"then": 1}'),
  { constructor: 1, hasOwnProperty: 1 },
  { toJSON: 1 },
  { content: null },
  { message: { content: 5 } },
  JSON.parse('{"__proto__": null}'),
  JSON.parse('{"__proto__": {"type": "result"}}'),
  'x'.repeat(10_000),
  deep(300),
];

function deep(levels: number): unknown {
  let value: unknown = 'bottom';
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { value };
  return value;
}

interface Mutation {
  readonly at: number;
  /** An index of `HOSTILE`, or undefined: the field is missing. */
  readonly value: number | undefined;
}

/** Frames of the list, with up to three values replaced. */
export function mutated(frames: readonly Json[]): fc.Arbitrary<Json> {
  const mutation = fc.record({
    at: fc.nat(),
    value: fc.option(fc.nat(HOSTILE.length - 1), { nil: undefined, freq: 8 }),
  });
  return fc
    .record({ frame: fc.nat(frames.length - 1), mutations: fc.array(mutation, { maxLength: 3 }) })
    .map(({ frame, mutations }) => {
      const copy = structuredClone(frames[frame]) as Json;
      for (const each of mutations) mutate(copy, each);
      return copy;
    });
}

function mutate(frame: Json, { at, value }: Mutation): void {
  const places = [...placesOf(frame)];
  const [owner, key] = places[at % places.length] ?? [frame, 'type'];
  if (value === undefined) delete owner[key];
  else owner[key] = structuredClone(HOSTILE[value]);
}

/** Every field of a value, at any depth. */
function* placesOf(value: unknown, depth = 0): Generator<[owner: Json, key: string]> {
  if (typeof value !== 'object' || value === null || depth > 8) return;
  for (const key of Object.keys(value)) {
    yield [value as Json, key];
    yield* placesOf((value as Json)[key], depth + 1);
  }
}
