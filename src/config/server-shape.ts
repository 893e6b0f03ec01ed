import { isRecord, kindOf } from '../protocol/base/kinds.js';

/** A problem in the entry of a server, and where. Values are never quoted: any of them may be a secret. */
export interface ShapeProblem {
  severity: 'error' | 'warning';
  path: readonly string[];
  text: string;
}

type Check = [expected: string, test: (value: unknown) => boolean];

const TEXT: Check = ['a string', (value) => typeof value === 'string'];
const TEXTS: Check = [
  'an array of strings',
  (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
];
const TEXT_MAP: Check = [
  'an object whose values are strings',
  (value) => isRecord(value) && Object.values(value).every((item) => typeof item === 'string'),
];
/** Programs may give a function, which is called on connecting; files cannot. */
const HEADERS: Check = [TEXT_MAP[0], (value) => typeof value === 'function' || TEXT_MAP[1](value)];
const FLAG: Check = ['true or false', (value) => typeof value === 'boolean'];
const TIME: Check = [
  'a number of milliseconds, 0 or above',
  (value) => typeof value === 'number' && value >= 0,
];
const LIST: Check = ['an array', Array.isArray];

const COMMON: Record<string, Check> = { type: TEXT, timeout: TIME, alwaysLoad: FLAG, tools: LIST };

interface Kind {
  required: string;
  fields: Record<string, Check>;
  expected: string;
}

const STDIO: Kind = {
  required: 'command',
  fields: { ...COMMON, command: TEXT, args: TEXTS, env: TEXT_MAP },
  expected:
    '{ "command": "…", "args"?: ["…"], "env"?: { "NAME": "…" }, "timeout"?: ms, "alwaysLoad"?: true }',
};

const remote = (type: string): Kind => ({
  required: 'url',
  fields: { ...COMMON, url: TEXT, headers: HEADERS, headersHelper: TEXT, oauth: ['an object', isRecord] },
  expected: `{ "type": "${type}", "url": "…", "headers"?: { "Name": "…" }, "timeout"?: ms, "alwaysLoad"?: true }`,
});

const KINDS: Record<string, Kind> = { stdio: STDIO, http: remote('http'), sse: remote('sse') };

/** All problems of one entry. Errors prevent its use, warnings do not. */
export function checkServer(entry: unknown): ShapeProblem[] {
  if (!isRecord(entry)) return [error([], `must be an object; it is ${found(entry)}`, STDIO)];
  const kind = kindOfServer(entry);
  if (kind === undefined) {
    return [error(['type'], `\`type\` must be "stdio", "http" or "sse"; it is ${shownType(entry.type)}`)];
  }
  const problems: ShapeProblem[] = [];
  if (!(kind.required in entry)) problems.push(error([], `\`${kind.required}\` is missing`, kind));
  for (const [key, value] of Object.entries(entry)) {
    const check = Object.hasOwn(kind.fields, key) ? kind.fields[key] : undefined;
    if (check === undefined) problems.push(unknownKey(key, kind));
    else if (!check[1](value)) {
      problems.push(error([key], `\`${key}\` must be ${check[0]}; it is ${found(value)}`, kind));
    }
  }
  if (typeof entry.url === 'string' && !entry.url.includes('${') && !URL.canParse(entry.url)) {
    problems.push(error(['url'], '`url` is not a URL', kind));
  }
  return problems;
}

function kindOfServer({ type, url, command }: Record<string, unknown>): Kind | undefined {
  if (type === undefined) return url !== undefined && command === undefined ? undefined : STDIO;
  return typeof type === 'string' && Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
}

function error(path: readonly string[], text: string, kind?: Kind): ShapeProblem {
  const expected = kind === undefined ? '' : `. Expected ${kind.expected}`;
  return { severity: 'error', path, text: `${text}${expected}` };
}

function unknownKey(key: string, kind: Kind): ShapeProblem {
  const known = Object.keys(kind.fields).filter((each) => each !== 'tools');
  const text = `the key \`${key}\` is unknown and ignored; known keys are ${known.join(', ')}`;
  return { severity: 'warning', path: [key], text };
}

/** A type is not a secret, but this may be anything. */
function shownType(type: unknown): string {
  return typeof type === 'string' && /^[\w-]{1,20}$/.test(type) ? `"${type}"` : found(type);
}

function found(value: unknown): string {
  return value === undefined ? 'missing' : kindOf(value);
}
