import { LIMITS } from '../../protocol/base/limits.js';
import { failedOutcome, type RuntimeTool, type ToolOutcome } from '../../runtime/tools/tool-port.js';
import { absolutePath } from '../files/paths.js';
import type { FileTools, Target } from './changed-file.js';
import { checkedInput, type InputSchema } from './checked-input.js';
import { extensionOf } from './file-places.js';
import { namedPath, permitted } from './file-tool.js';
import { WORDS } from './file-words.js';
import { IMAGE_EXTENSIONS, readImage, readPdf } from './read-media.js';
import { readNotebook } from './read-notebook.js';
import { shownRead } from './read-shown.js';
import { MOST_CHARS, readText } from './read-text.js';

export interface ReadFields {
  readonly file_path: string;
  readonly offset?: number;
  readonly limit?: number;
  readonly pages?: string;
  readonly allow_large?: boolean;
}

/** A file that is about to be read. */
export interface ReadTarget extends Target {
  readonly size: number;
  readonly signal: AbortSignal;
}

const SCHEMA: InputSchema = {
  type: 'object',
  properties: {
    file_path: { type: 'string', description: 'The file, as an absolute path' },
    offset: { type: 'integer', description: 'The first line to read, from 1' },
    limit: { type: 'integer', description: 'How many lines to read' },
    pages: { type: 'string', description: 'Pages of a PDF: "3" or "1-5"' },
    allow_large: {
      type: 'boolean',
      description: 'Read text that is over the usual size. Only if all of it is needed.',
    },
  },
  required: ['file_path'],
  additionalProperties: false,
};

/** Nothing in them can be shown as text; the others are looked at. */
const BINARY =
  /^(7z|a|avi|bin|bmp|bz2|class|dat|db|deb|dll|dmg|doc|docx|dylib|eot|exe|flac|gz|ico|iso|jar|lib|m4a|mkv|mov|mp3|mp4|mpeg|msi|o|obj|odt|ogg|otf|pack|ppt|pptx|psd|pyc|rar|rpm|so|sqlite|tar|tgz|tif|tiff|ttf|wasm|wav|webm|woff|woff2|xls|xlsx|xz|zip|zst)$/;

/** `Read`: the lines of a text file, an image, a PDF, or the cells of a notebook. */
export function readTool(tools: FileTools): RuntimeTool {
  const { context, here } = tools;
  const { workspace } = context;
  return {
    name: 'Read',
    description:
      'Reads a file: text with line numbers, images, PDFs and Jupyter notebooks. A directory cannot be read. Large files are read in parts with `offset` and `limit`.',
    inputSchema: SCHEMA,
    isReadOnly: true,
    asMeant: withNumber,
    shown: shownRead,
    maxResultChars: MOST_CHARS * 2,
    prepare: async (input) => {
      const fields = readFields(input);
      const path = absolutePath(await here(), fields.file_path);
      const problem = misuse(path, fields.pages);
      if (problem !== undefined) return { problem };
      const { real } = await workspace.locate(path);
      if (isEndless(real)) return { problem: endless(path) };
      return { access: { kind: 'read', path, real }, input: { ...fields, file_path: path } };
    },
    run: async ({ input, given, access, signal }) => {
      const checked = readFields(input);
      const file_path = namedPath(await here(), 'file_path', { ...checked }, given);
      const fields = { ...checked, file_path };
      const { path, real } = permitted(access, 'Read');
      const found = await workspace.stat(real);
      if (found === undefined) return failedOutcome(WORDS.missing((await here()).root));
      if (found.kind === 'directory') return failedOutcome(WORDS.directory(path));
      if (found.kind === 'other') return failedOutcome(WORDS.special(path));
      if (found.size > LIMITS.maxFileBytes) return failedOutcome(WORDS.tooLarge(found.size));
      const outcome = await readAs(tools, fields, { path, real, size: found.size, signal });
      if (outcome.isError) return outcome;
      return { ...outcome, added: [...(outcome.added ?? []), ...(await context.onRead(real))] };
    },
  };
}

/** The CLI shows an offset that was given as a text as the number that it is, and only that. */
function withNumber(input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { offset } = input;
  return typeof offset === 'string' && /^\s*\d+\s*$/.test(offset)
    ? { ...input, offset: Number(offset) }
    : input;
}

/** Throws with what is wrong with the call. */
function readFields(input: Readonly<Record<string, unknown>>): ReadFields {
  return checkedInput('Read', SCHEMA, input) as unknown as ReadFields;
}

function readAs(tools: FileTools, fields: ReadFields, target: ReadTarget): Promise<ToolOutcome> {
  const extension = extensionOf(target.path);
  if (IMAGE_EXTENSIONS.has(extension)) return readImage(tools, target);
  if (extension === 'pdf') return readPdf(tools, fields, target);
  return extension === 'ipynb' ? readNotebook(tools, fields, target) : readText(tools, fields, target);
}

function misuse(path: string, pages: string | undefined): string | undefined {
  const extension = extensionOf(path);
  if (BINARY.test(extension)) {
    return `Read shows text, images, PDFs and notebooks, but a .${extension} file is binary. Use a command that knows the format.`;
  }
  if (isEndless(path)) return endless(path);
  if (pages !== undefined && !/^\d+(-\d+)?$/.test(pages)) {
    return `\`pages\` must be one page ("3") or one range ("1-5"), but is ${JSON.stringify(pages)}.`;
  }
  return undefined;
}

/** Whatever the workspace is: what these contain never ends, or is about the process itself. */
function isEndless(path: string): boolean {
  return /^\/(dev|proc|sys)\//.test(path);
}

function endless(path: string): string {
  return `${path} is a device or tells of a process; such files are not read.`;
}
