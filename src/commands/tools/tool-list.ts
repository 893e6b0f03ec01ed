import { oneLine } from '../terminal/harmless.js';
import type { Palette } from '../terminal/palette.js';
import { widthOf } from '../terminal/text-width.js';
import { wrap } from '../terminal/wrap.js';
import type { ListedServer } from '../tools-file/listed-servers.js';
import { argumentsOf, boundsText, type Schema, typeText } from './schema.js';

type Tool = ListedServer['tools'][number];

/** In a pipe there is no width: a line is as long as it is. */
export interface Layout {
  readonly columns: number | undefined;
  readonly paint: Palette;
}

/** Below this, the description of an argument is on lines of its own. */
const NARROW_COLUMNS = 60;

/** All servers with their tools and the arguments of each. */
export function toolList(servers: readonly ListedServer[], layout: Layout): string {
  return servers.map((server) => serverText(server, layout)).join('\n');
}

function serverText({ name, tools, instructions }: ListedServer, layout: Layout): string {
  const { paint } = layout;
  const count = `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`;
  const about = instructions === undefined ? [] : paragraph(instructions, 2, layout);
  return [
    `${paint.bold(oneLine(name))} ${paint.dim(`(${count})`)}`,
    ...about,
    ...tools.flatMap((tool) => ['', ...toolLines(tool, layout)]),
    '',
  ].join('\n');
}

function toolLines({ name, description = '', inputSchema }: Tool, layout: Layout): string[] {
  return [
    `  ${layout.paint.green(oneLine(name))}`,
    ...(description === '' ? [] : paragraph(description, 4, layout)),
    ...argumentLines(inputSchema, layout),
  ];
}

/** A table: name, type, description. `?` marks what may be left out. */
function argumentLines(schema: Schema, layout: Layout): string[] {
  const rows = argumentsOf(schema).map(({ path, schema: own, isRequired }) => ({
    name: oneLine(`${path}${isRequired ? '' : '?'}`),
    type: oneLine(typeText(schema, own)),
    about: oneLine([own.description, boundsText(own)].filter(Boolean).join('; ')),
  }));
  if (rows.length === 0) return [`    ${layout.paint.dim('no arguments')}`];
  const widths = { name: widest(rows.map(({ name }) => name)), type: widest(rows.map(({ type }) => type)) };
  return rows.flatMap((row) => argumentRow(row, widths, layout));
}

/** A column that one long entry must not push away. */
const MAX_COLUMN = 32;

function widest(texts: readonly string[]): number {
  return Math.max(...texts.map(widthOf).filter((width) => width <= MAX_COLUMN), 0);
}

function argumentRow(
  { name, type, about }: { name: string; type: string; about: string },
  widths: { name: number; type: number },
  { columns, paint }: Layout,
): string[] {
  const cells = [paint.cyan(padded(name, widths.name)), about === '' ? type : padded(type, widths.type)];
  const start = 4 + widths.name + 2 + widths.type + 2;
  const isTable = columns === undefined || (columns >= NARROW_COLUMNS && columns - start >= 20);
  const fits = widthOf(name) <= widths.name && widthOf(type) <= widths.type;
  if (isTable && fits) {
    const [first = '', ...more] = wrap(about, columns === undefined ? undefined : columns - start);
    return [
      `    ${cells.join('  ')}${first === '' ? '' : `  ${first}`}`,
      ...more.map((line) => `${' '.repeat(start)}${line}`),
    ];
  }
  const [head = '', ...rest] = wrap(
    `${name}  ${type}`.replace('  ', ' '),
    columns === undefined ? undefined : columns - 4,
  );
  return [
    `    ${paint.cyan(head.slice(0, name.length))}${head.slice(name.length)}`,
    ...rest.map((line) => `      ${line}`),
    ...(about === ''
      ? []
      : wrap(about, columns === undefined ? undefined : columns - 6).map((line) => `      ${line}`)),
  ];
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** Keeps the lines of a text, each wrapped. */
function paragraph(text: string, indent: number, { columns }: Layout): string[] {
  const room = columns === undefined ? undefined : columns - indent;
  return text
    .trim()
    .split('\n')
    .flatMap((line) => wrap(oneLine(line), room))
    .map((line) => (line === '' ? '' : ' '.repeat(indent) + line));
}
