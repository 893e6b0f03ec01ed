/** What stands between the dashes at the top of a file: a text or a list for each key. */
export type Head = ReadonlyMap<string, string | readonly string[]>;

export interface HeadedText {
  readonly head: Head;
  /** The rest, without the empty lines before it. */
  readonly body: string;
}

const FENCE = /^---[ \t]*$/;
const KEY = /^([A-Za-z_][\w-]*):(?:[ \t]+(.*))?$/;

/**
 * The part of YAML that heads of skills and commands are written in: `key: value`, quoted strings, lists, and
 * texts of several lines (`|`, `>`). Maps inside a value are skipped. A head without an end is part of the text.
 */
export function readHead(text: string): HeadedText {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const end = FENCE.test(lines[0] ?? '') ? lines.findIndex((line, at) => at > 0 && FENCE.test(line)) : -1;
  if (end === -1) return { head: new Map(), body: lines.join('\n') };
  const body = lines.slice(end + 1);
  while (body.length > 1 && body[0]?.trim() === '') body.shift();
  return { head: headOf(lines.slice(1, end)), body: body.join('\n') };
}

function headOf(lines: readonly string[]): Head {
  const head = new Map<string, string | readonly string[]>();
  for (let at = 0; at < lines.length; at += 1) {
    const [, key, inline = ''] = KEY.exec(lines[at] ?? '') ?? [];
    if (key === undefined) continue;
    const below = indented(lines, at + 1);
    at += below.length;
    const value = valueIn(inline.trim(), below);
    if (value !== undefined) head.set(key, value);
  }
  return head;
}

/** The lines that belong to the key above them. */
function indented(lines: readonly string[], from: number): string[] {
  let to = from;
  while (to < lines.length && /^(?:[ \t]|-[ \t]|-$|$)/.test(lines[to] ?? '')) to += 1;
  return lines.slice(from, to);
}

function valueIn(inline: string, below: readonly string[]): string | string[] | undefined {
  if (/^[|>][+-]?$/.test(inline)) {
    const texts = below.map((line) => line.trim());
    return texts.join(inline.startsWith('|') ? '\n' : ' ').trim();
  }
  if (inline !== '' && !inline.startsWith('#')) return inlineValue(inline, below);
  const items = below.map((line) => /^[ \t]*-[ \t]+(.*)$/.exec(line)?.[1]);
  return items.length > 0 && items[0] !== undefined
    ? items.flatMap((item) => (item === undefined ? [] : [scalar(item)]))
    : undefined;
}

function inlineValue(inline: string, below: readonly string[]): string | string[] {
  const list = /^\[(.*)\](?:[ \t]+#.*)?$/.exec(inline)?.[1];
  if (list !== undefined) return splitList(list).map(scalar);
  // A plain text goes on in indented lines.
  return [scalar(inline), ...below.map((line) => line.trim())].join(' ').trim();
}

/** Without quotes, or without the comment behind it. */
function scalar(text: string): string {
  const [, double] = /^"((?:[^"\\]|\\.)*)"[ \t]*(?:#.*)?$/.exec(text.trim()) ?? [];
  if (double !== undefined)
    return double.replaceAll(/\\(.)/g, (_, escaped: string) => ESCAPES[escaped] ?? escaped);
  const [, single] = /^'((?:[^']|'')*)'[ \t]*(?:#.*)?$/.exec(text.trim()) ?? [];
  return single === undefined ? text.replace(/[ \t]#.*$/, '').trim() : single.replaceAll("''", "'");
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t' };

/** At commas outside quotes and parentheses: `Read, Bash(git log:*, x), "a, b"`. */
export function splitList(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let quote = '';
  let part = '';
  for (const char of text) {
    if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === '"' || char === "'") quote = char;
    else if (char === '(') depth += 1;
    else if (char === ')') depth = Math.max(0, depth - 1);
    if (char === ',' && depth === 0 && quote === '') {
      parts.push(part);
      part = '';
    } else part += char;
  }
  return [...parts, part].map((each) => each.trim()).filter((each) => each !== '');
}

export function textIn(head: Head, key: string): string | undefined {
  const value = head.get(key);
  const text = typeof value === 'string' ? value : value?.join(', ');
  return text === undefined || text === '' ? undefined : text;
}

/** A list, or one text with commas between its items. */
export function listIn(head: Head, key: string): readonly string[] {
  const value = head.get(key) ?? [];
  return typeof value === 'string' ? splitList(value) : value;
}

/** Undefined for anything but `true` and `false`. */
export function truthIn(head: Head, key: string): boolean | undefined {
  const value = head.get(key);
  return value === 'true' ? true : value === 'false' ? false : undefined;
}
