import { clock } from '../../protocol/base/clock.js';
import { messageOf } from '../../protocol/base/errors.js';
import { failedOutcome, type RuntimeTool, type ToolOutcome } from '../../runtime/tools/tool-port.js';
import { absolutePath } from '../files/paths.js';
import type { Target } from './changed-file.js';
import { checkedInput, type InputSchema } from './checked-input.js';
import { permitted } from './file-tool.js';
import { hasShape } from './output-shape.js';
import { CUT_SHORT, foundFiles, NO_FILES, oldestFirst, type SearchTools } from './search-place.js';

const MOST_FILES = 100;

const SCHEMA: InputSchema = {
  type: 'object',
  properties: {
    pattern: {
      type: 'string',
      description: 'What the paths look like, such as "**/*.ts" or "src/*.{js,jsx}"',
    },
    path: {
      type: 'string',
      description: 'The directory to look in. Leave it out for the working directory.',
    },
  },
  required: ['pattern'],
  additionalProperties: false,
};

interface GlobFields {
  readonly pattern: string;
  readonly path?: string;
}

/** `Glob`: files by their names. */
export function globTool(tools: SearchTools): RuntimeTool {
  const { context, here } = tools;
  const { workspace } = context;
  return {
    name: 'Glob',
    description: `Finds files by name patterns, hidden and ignored ones too: the oldest first, at most ${MOST_FILES}. A pattern without "/" matches at any depth.`,
    inputSchema: SCHEMA,
    isReadOnly: true,
    shown: (output) =>
      hasShape<GlobOutput>(output, { filenames: 'array', numFiles: 'number', truncated: 'boolean' })
        ? wordsOf(output)
        : undefined,
    prepare: async (input) => {
      const { directory } = placeOf(checkedInput('Glob', SCHEMA, input) as unknown as GlobFields);
      const path = absolutePath(await here(), directory);
      const { real } = await workspace.locate(path);
      return { access: { kind: 'read', path, real } };
    },
    run: async ({ input, access, signal }) => {
      const fields = checkedInput('Glob', SCHEMA, input) as unknown as GlobFields;
      const place = permitted(access, 'Glob');
      const { pattern, isOfPattern } = placeOf(fields);
      const kind = (await workspace.stat(place.real))?.kind;
      if (kind !== 'directory' && !isOfPattern) {
        return wrongPlace(fields.path ?? '', kind, (await here()).root);
      }
      return find(tools, pattern, kind === undefined ? undefined : place, signal);
    },
  };
}

/** An absolute pattern says itself where to look: as far as it is no pattern yet. */
function placeOf({ pattern, path = '' }: GlobFields): {
  directory: string;
  pattern: string;
  isOfPattern: boolean;
} {
  if (!pattern.startsWith('/')) return { directory: path, pattern, isOfPattern: false };
  const firstSign = pattern.search(/[*?[{\\]/);
  const end = pattern.lastIndexOf('/', firstSign === -1 ? pattern.length : firstSign);
  return { directory: pattern.slice(0, end) || '/', pattern: pattern.slice(end + 1), isOfPattern: true };
}

function wrongPlace(path: string, kind: string | undefined, root: string): ToolOutcome {
  if (kind !== undefined) return failedOutcome(`"${path}" is not a directory. Glob looks for files in one.`);
  return failedOutcome(`There is no directory "${path}". Relative paths start from ${root}.`);
}

async function find(
  tools: SearchTools,
  pattern: string,
  place: Target | undefined,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const started = clock.monotonic();
  const query = { mode: 'names', pattern: '', globs: pattern === '' ? [] : [pattern] } as const;
  try {
    const nothing = { files: [], isCut: false, nameOf: () => '' };
    const found = place === undefined ? nothing : await foundFiles(tools, query, place, signal);
    const names = [...found.files].sort(oldestFirst).slice(0, MOST_FILES).map(found.nameOf);
    const totalMatches = found.files.length;
    const detail = {
      filenames: names,
      durationMs: Math.round(clock.monotonic() - started),
      numFiles: names.length,
      truncated: totalMatches > names.length,
      totalMatches,
      countIsComplete: !found.isCut,
    };
    return { content: wordsOf(detail), detail };
  } catch (error) {
    signal.throwIfAborted();
    return failedOutcome(`The search was refused: ${messageOf(error)}`);
  }
}

interface GlobOutput {
  readonly filenames: readonly string[];
  readonly truncated: boolean;
  readonly totalMatches?: number;
  readonly countIsComplete?: boolean;
}

function wordsOf({ filenames, truncated, totalMatches, countIsComplete = true }: GlobOutput): string {
  const lines = filenames.length === 0 ? [NO_FILES] : [...filenames];
  if (truncated) {
    const all = totalMatches === undefined ? 'more' : totalMatches;
    lines.push(`(These are ${filenames.length} of ${all} files. A narrower pattern or path shows others.)`);
  }
  if (!countIsComplete) lines.push(`(${CUT_SHORT})`);
  return lines.join('\n');
}
