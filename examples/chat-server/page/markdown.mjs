// The little of Markdown that answers have: headings, paragraphs, lists, quotes, code, bold, italic. Only elements of this list
// are made, and every text is a text node: whatever a model or a stranger says, it stays what they say.

import { element } from './dom.mjs';

/** @typedef {{ source: string, make: () => HTMLElement }} Block */

/** @type {WeakMap<HTMLElement, string[]>} */
const shown = new WeakMap();

/**
 * Shows the text. Blocks that are shown already stay, so that a text that grows changes only at its end.
 *
 * @param {HTMLElement} place
 * @param {string} text
 */
export function showMarkdown(place, text) {
  const before = shown.get(place) ?? [];
  const blocks = blocksIn(text);
  blocks.forEach(({ source, make }, index) => {
    if (before[index] === source) return;
    const old = place.children[index];
    if (old === undefined) place.append(make());
    else old.replaceWith(make());
  });
  while (place.children.length > blocks.length) place.lastElementChild?.remove();
  shown.set(
    place,
    blocks.map(({ source }) => source),
  );
}

/** @param {string} text @param {number} [depth] of lists around it @returns {Block[]} */
export function blocksIn(text, depth = 0) {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  /** @type {Block[]} */
  const blocks = [];
  for (let at = 0; at < lines.length; ) {
    const kind = KINDS.find(({ begins }) => begins.test(lines[at] ?? ''));
    if (kind === undefined) {
      at += 1;
      continue;
    }
    const end = kind.end(lines, at);
    const own = lines.slice(at, end);
    blocks.push({ source: `${kind.name}\n${own.join('\n')}`, make: () => kind.make(own, depth) });
    at = end;
  }
  return blocks;
}

const FENCE = /^ {0,3}(```+|~~~+)/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*$/;
const QUOTE = /^ {0,3}> ?/;
const BULLET = /^\s*[-*+]\s+/;
const NUMBER = /^\s*\d{1,9}[.)]\s+/;
const RULE = /^ {0,3}([-*_])( *\1){2,}\s*$/;
const DEEPEST_LIST = 5;
const SPECIAL = [FENCE, HEADING, QUOTE, RULE, BULLET, NUMBER];

/**
 * The first that fits counts.
 *
 * @type {readonly { name: string, begins: RegExp, end(lines: readonly string[], at: number): number, make(lines: readonly string[], depth: number): HTMLElement }[]}
 */
const KINDS = [
  {
    name: 'code',
    begins: FENCE,
    end: (lines, at) => {
      const fence = FENCE.exec(lines[at] ?? '')?.[1] ?? '```';
      const close = lines.findIndex(
        (line, index) =>
          index > at && line.trim().startsWith(fence) && line.trim() === line.trim().replace(/[^`~]/g, ''),
      );
      return close === -1 ? lines.length : close + 1;
    },
    make: (lines) => {
      const isClosed = lines.length > 1 && FENCE.test(lines.at(-1) ?? '');
      const code = lines.slice(1, isClosed ? -1 : undefined).join('\n');
      // A region that scrolls has to be reachable by the keyboard.
      return element('pre', { tabIndex: 0 }, element('code', { text: code }));
    },
  },
  {
    name: 'heading',
    begins: HEADING,
    end: (_lines, at) => at + 1,
    make: ([line = '']) => {
      const [, marks = '', words = ''] = HEADING.exec(line) ?? [];
      // Below the heading of the page itself.
      return element(marks.length < 3 ? 'h2' : 'h3', {}, ...inline(words));
    },
  },
  { name: 'rule', begins: RULE, end: (_lines, at) => at + 1, make: () => element('hr') },
  {
    name: 'quote',
    begins: QUOTE,
    end: (lines, at) => endOf(lines, at, (line) => QUOTE.test(line)),
    make: (lines) => {
      const words = lines.map((line) => line.replace(QUOTE, '')).join('\n');
      return element('blockquote', {}, element('p', {}, ...inline(words)));
    },
  },
  {
    name: 'list',
    begins: BULLET,
    end: (lines, at) => endOf(lines, at, isOfList),
    make: (lines, depth) => list('ul', lines, BULLET, depth),
  },
  {
    name: 'numbers',
    begins: NUMBER,
    end: (lines, at) => endOf(lines, at, isOfList),
    make: (lines, depth) => {
      const made = list('ol', lines, NUMBER, depth);
      made.setAttribute('start', String(Number.parseInt(lines[0] ?? '1', 10)));
      return made;
    },
  },
  {
    name: 'paragraph',
    begins: /\S/,
    end: (lines, at) =>
      endOf(lines, at, (line) => line.trim() !== '' && !SPECIAL.some((special) => special.test(line))),
    make: (lines) => element('p', {}, ...inline(lines.join('\n'))),
  },
];

/**
 * @param {readonly string[]} lines
 * @param {number} at
 * @param {(line: string) => boolean} belongs
 */
function endOf(lines, at, belongs) {
  const end = lines.findIndex((line, index) => index > at && !belongs(line));
  return end === -1 ? lines.length : end;
}

/** @param {string} line */
const isOfList = (line) => BULLET.test(line) || NUMBER.test(line) || /^\s{2,}\S/.test(line);

/**
 * What is further in than the first item belongs to the item before it.
 *
 * @param {'ul' | 'ol'} name
 * @param {readonly string[]} lines
 * @param {RegExp} mark
 * @param {number} depth
 */
function list(name, lines, mark, depth) {
  const margin = indentOf(lines[0] ?? '');
  /** @type {string[][]} */
  const items = [];
  for (const line of lines) {
    if (mark.test(line) && indentOf(line) <= margin + 1) items.push([line.replace(mark, '')]);
    else items.at(-1)?.push(line.slice(Math.min(indentOf(line), margin + 2)));
  }
  return element(
    name,
    {},
    ...items.map(([first = '', ...rest]) => {
      const inner = rest.join('\n');
      if (depth === DEEPEST_LIST) return element('li', {}, ...inline(`${first}\n${inner}`));
      return element('li', {}, ...inline(first), ...blocksIn(inner, depth + 1).map(({ make }) => make()));
    }),
  );
}

/** @param {string} line */
const indentOf = (line) => line.length - line.trimStart().length;

/** What is longer is not meant to be bold. */
const INLINE =
  /(`+)([^`]|[^`][\s\S]{0,500}?[^`])\1(?!`)|\*\*(?=\S)([\s\S]{0,500}?\S)\*\*|(?<![\w*])[*_](?=[^\s*_])([\s\S]{0,500}?[^\s*_])[*_](?![\w*])/g;

/** @param {string} text @returns {(Node | string)[]} */
function inline(text) {
  /** @type {(Node | string)[]} */
  const nodes = [];
  let end = 0;
  for (const found of text.matchAll(INLINE)) {
    const [all, , code, bold, italic = ''] = found;
    nodes.push(text.slice(end, found.index));
    if (code !== undefined) nodes.push(element('code', { text: code }));
    else if (bold !== undefined) nodes.push(element('strong', {}, ...inline(bold)));
    else nodes.push(element('em', {}, ...inline(italic)));
    end = found.index + all.length;
  }
  nodes.push(text.slice(end));
  return nodes.filter((node) => node !== '');
}
