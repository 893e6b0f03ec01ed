/** Takes out of an outcome what differs from run to run, so that two runs can be compared. */
import type { Json, JsonObject, Outcome } from './scenario.js';

/** Everything that is compared, by place. */
export interface Comparable {
  argv: Json[];
  env: Json;
  stdin: JsonObject[];
  messages: JsonObject[];
  error: Json;
  model: JsonObject[];
  driven: Json;
  calls: JsonObject[];
  exit: Json;
}

export function normalise(outcome: Outcome): Comparable {
  const clean = cleaner([...outcome.aliases, ...tasksOf(outcome)]);
  const object = (value: unknown): JsonObject => clean(value) as JsonObject;
  return {
    // Flags that carry JSON are compared by what it says.
    argv: outcome.argv.map((argument) => clean(argument.startsWith('{') ? JSON.parse(argument) : argument)),
    env: clean(outcome.env),
    stdin: outcome.stdin.map((frame) => object(withNamedRequest(frame, outcome.stdout))),
    messages: outcome.messages.map(object),
    error: clean(outcome.error ?? null),
    model: outcome.requests.map(({ body, headers }) => {
      const { metadata: _, ...rest } = body;
      return object({ 'user-agent': headers['user-agent'], ...rest });
    }),
    driven: clean(outcome.driven ?? null),
    calls: outcome.calls.map(object),
    exit: clean(outcome.exit),
  };
}

/** Tasks and saved outputs have random names: numbered in the order in which the host hears of them. */
function tasksOf({ messages }: Outcome): Outcome['aliases'] {
  const found = JSON.stringify(messages).matchAll(
    /"(?:task_id|backgroundTaskId)":"([a-z]\w+)"|\/tool-results\/(b\w{8})\.txt|\/plans\/([\w-]+)\.md/g,
  );
  const names = new Set([...found].map(([, task, output, plan]) => task ?? output ?? plan ?? ''));
  return [...names].map((name, index) => [name, `<task-${index + 1}>`]);
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
const PORT = /(127\.0\.0\.1|localhost):\d+/g;
const SOCKET = /\d+\.sock/g;
/** Files in which the CLI keeps what is too large or not text: `mcp-calc-blob-1794775688314-jri2o0.png`. */
const SAVED = /(mcp-[\w-]+?)-\d{13}(-\w+)?\./g;
/** Of subagents and their runs. */
const AGENT = /\ba[0-9a-f]{16}\b/g;
const RUN = /\b0[0-9a-z]{8}-[0-9a-f]{8}\b/g;
/** Stands on whatever comes last in a request. */
const MARK = 'cache_control';
/** Measured, or computed from what was measured. */
const MEASURED = /(_ms|Ms|_seconds|_time|_usd|USD|^pid|^mtime)$/;

function cleaner(aliases: Outcome['aliases']): (value: unknown) => Json {
  const text = (words: string): string => {
    let result = words;
    for (const [each, alias] of aliases) result = result.replaceAll(each, alias);
    return result
      .replace(UUID, '<uuid>')
      .replace(TIME, '<time>')
      .replace(PORT, '$1:<port>')
      .replace(SOCKET, '<pid>.sock')
      .replace(AGENT, '<agent>')
      .replace(RUN, '<run>')
      .replace(/(duration_ms: |<duration_ms>)\d+/g, '$1<measured>')
      .replace(SAVED, '$1-<saved>.');
  };
  const clean = (value: unknown, key = ''): Json => {
    if (typeof value === 'string') return text(value);
    if (typeof value === 'number') return MEASURED.test(key) ? '<measured>' : value;
    if (Array.isArray(value))
      return sorted(
        value.map((item) => clean(item)),
        key,
      );
    if (typeof value === 'object' && value !== null) {
      const entries = Object.entries(value).filter(([name, inner]) => inner !== undefined && name !== MARK);
      return Object.fromEntries(entries.map(([name, inner]) => [text(name), clean(inner, name)]));
    }
    return value === undefined ? null : (value as Json);
  };
  return (value) => clean(value);
}

/** The order of tools means nothing, nor that of results of one message: it tells when each was known. */
function sorted(items: Json[], key: string): Json[] {
  const name = key === 'tools' ? 'name' : key === 'content' ? 'tool_use_id' : undefined;
  if (name === undefined) return items;
  const nameOf = (item: Json): string =>
    typeof item === 'string' ? item : String((item as JsonObject | null)?.[name] ?? '');
  return items.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b), 'en'));
}

/** A request id says nothing; what it asks, or what it answers, does. */
function withNamedRequest(frame: JsonObject, stdout: readonly JsonObject[]): JsonObject {
  if (frame.type === 'control_request') return { ...frame, request_id: idShape(frame.request_id) };
  if (frame.type !== 'control_response') return frame;
  const response = frame.response as JsonObject;
  const asked = stdout.find(
    ({ type, request_id }) => type === 'control_request' && request_id === response.request_id,
  );
  return { ...frame, response: { ...response, request_id: describe(asked) } };
}

/** The ids of a client are its own choice, but their form is seen by every log. */
function idShape(id: Json | undefined): string {
  return String(id)
    .replace(/^tenon_\d+$/, 'tenon_<n>')
    .replace(/^[a-z0-9]{8,13}$/, '<random>');
}

function describe(asked: JsonObject | undefined): string {
  if (asked === undefined) return 'unknown request';
  const request = asked.request as JsonObject;
  const message = request.message as JsonObject | undefined;
  const params = message?.params as JsonObject | undefined;
  const meta = params?._meta as JsonObject | undefined;
  const details = [
    request.callback_id,
    request.tool_use_id !== undefined && request.subtype === 'can_use_tool' ? request.tool_use_id : undefined,
    request.server_name,
    message?.method,
    meta?.['claudecode/toolUseId'],
  ];
  return [request.subtype, ...details.filter((detail) => detail !== undefined)].join(' ');
}
