// @ts-check
/** The pages of `docs/api`: one for each entry of the package, made from its declaration files; none for a second name. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import process from 'node:process';
import { text as readAll } from 'node:stream/consumers';
import { declarationsOf } from './declarations.mjs';
import { commandOf } from './run.mjs';

/** @typedef {import('./declarations.mjs').Declaration} Declaration */

/** Which types stand together. The first pattern that fits the file in which a type is declared. */
const GROUPS = /** @type {const} */ ([
  [/^options\//, 'Options'],
  [/^client\//, 'Queries'],
  [/^authoring\//, 'Tools and servers'],
  [/^protocol\/(permissions\/|wire\/host-callbacks)/, 'Permissions and questions'],
  [/^protocol\/wire\/hook/, 'Hooks'],
  [/^protocol\/wire\/messages\//, 'Messages'],
  [/^protocol\/wire\/content/, 'What messages are made of'],
  [/^(config\/settings|protocol\/wire\/settings)/, 'Settings'],
  [/^(config|mcp)\//, 'MCP'],
  [/^protocol\/wire\/control/, 'Control requests and their answers'],
  [/^(sessions\/|protocol\/wire\/session)/, 'Conversations'],
]);

/**
 * @param {string} root
 * @returns {Promise<Map<string, string>>} the text of each page by its name
 */
export async function apiReference(root) {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const pages = new Map();
  const rows = [];
  /** The link to the page of each declaration file. @type {Map<string, string>} */
  const links = new Map();
  for (const [entry, target] of Object.entries(manifest.exports)) {
    if (typeof target === 'string') continue;
    const title = `${manifest.name}${entry.slice(1)}`;
    const file = `${title.replaceAll('/', '-')}.md`;
    const original = links.get(target.types);
    if (original !== undefined) {
      rows.push(`| \`${title}\` | the same as ${original} |`);
      continue;
    }
    links.set(target.types, `[\`${title}\`](${file})`);
    const found = declarationsOf(join(root, 'dist'), relative('dist', target.types));
    const declarations = await formatted(root, found.toSorted(byName));
    pages.set(file, page(title, declarations));
    const values = declarations.filter(isValue).map(nameOf).join(', ');
    rows.push(`| ${links.get(target.types)} | ${values || 'types only'} |`);
  }
  const table = ['| entry | functions, classes and constants |', '|---|---|', ...rows].join('\n');
  pages.set('README.md', `# API reference\n\n${MADE}\n\n${table}\n`);
  return pages;
}

const MADE = 'Made from the types by `npm run docs:api`. How to use them is in the [guide](../README.md).';

/** @param {Declaration} one @param {Declaration} other */
const byName = (one, other) => (one.name.toLowerCase() < other.name.toLowerCase() ? -1 : 1);
/** @param {Declaration} declaration */
const isValue = ({ kind }) => kind === 'value';
/** @param {Declaration} declaration */
const nameOf = ({ name }) => `\`${name}\``;

/** @param {string} title @param {readonly Declaration[]} declarations */
function page(title, declarations) {
  const isSmall = declarations.length < 100;
  const order = [
    'Functions, classes and constants',
    ...GROUPS.map(([, name]) => name),
    'Other types',
    'Types',
  ];
  const groups = order.map((name) => ({
    name,
    members: declarations.filter((each) => groupOf(each, isSmall) === name),
  }));
  const anchor = anchors();
  anchor(title);
  const linked = groups
    .filter(({ members }) => members.length > 0)
    .map(({ name, members }) => ({
      name,
      link: anchor(name),
      members: members.map((each) => ({ ...each, link: anchor(each.name) })),
    }));
  const contents = linked.map(
    ({ name, link, members }) =>
      `- [${name}](#${link}): ${members.map((each) => `[${each.name}](#${each.link})`).join(', ')}`,
  );
  const bodies = linked.map(({ name, members }) => `## ${name}\n\n${members.map(section).join('\n\n')}`);
  return `# ${title}\n\n${MADE}\n\n${contents.join('\n')}\n\n${bodies.join('\n\n')}\n`;
}

/** @param {Declaration} declaration @param {boolean} isSmall */
function groupOf({ kind, file }, isSmall) {
  if (kind === 'value') return 'Functions, classes and constants';
  if (isSmall) return 'Types';
  return GROUPS.find(([pattern]) => pattern.test(file))?.[1] ?? 'Other types';
}

/** @param {Declaration} declaration */
function section({ name, comment, text }) {
  // Not `ts`: that is for snippets that a test compiles.
  return [`### ${name}`, ...(comment === '' ? [] : [comment]), `\`\`\`typescript\n${text}\n\`\`\``].join(
    '\n\n',
  );
}

/** Links as the usual renderers make them: in lower case, a second one of the same name with a number. */
function anchors() {
  const counts = new Map();
  return (/** @type {string} */ heading) => {
    const plain = heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-');
    const count = counts.get(plain) ?? 0;
    counts.set(plain, count + 1);
    return count === 0 ? plain : `${plain}-${count}`;
  };
}

/**
 * The compiler writes a declaration on one line, however long. All go through the formatter at once.
 *
 * @param {string} root
 * @param {readonly Declaration[]} declarations
 * @returns {Promise<Declaration[]>}
 */
async function formatted(root, declarations) {
  const mark = '// next';
  const input = declarations.map(({ text }) => `${mark}\n${text}\n`).join('');
  const biome = commandOf('@biomejs/biome', 'biome');
  const child = spawn(process.execPath, [biome, 'format', '--stdin-file-path=api.d.ts'], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(input);
  const [, ...texts] = (await readAll(child.stdout)).split(`${mark}\n`);
  if (texts.length !== declarations.length)
    throw new Error('The formatter has not given back every declaration.');
  return declarations.map((each, index) => ({ ...each, text: texts[index]?.trim() ?? '' }));
}
