import type { RuntimeTool, ToolOutcome } from '../../runtime/tools/tool-port.js';
import { patchOf } from '../files/patch.js';
import { type Replaced, replaceIn } from '../files/replace-text.js';
import { encodeText, markedLike, readable, type TextFile, withPlainLineEnds } from '../files/text-file.js';
import { type FileTools, standingOf, type Target } from './changed-file.js';
import { extensionOf } from './file-places.js';
import { changingTool, type Planned } from './file-tool.js';
import { WORDS } from './file-words.js';
import { hasShape } from './output-shape.js';

interface EditPlan {
  readonly before: string;
  readonly after: string;
  readonly encoding: TextFile['encoding'];
  /** What is replaced, as it is in the file. */
  readonly found: string;
  readonly isStale: boolean;
  /** The model knows all of the file, before and therefore after. */
  readonly isInContext: boolean;
}

interface EditFields {
  readonly file_path: string;
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean;
}

/** `Edit`: replaces a text in a file. If it is not clear which text is meant, nothing changes. */
export function editTool(tools: FileTools): RuntimeTool {
  return changingTool<EditPlan>(tools, {
    name: 'Edit',
    description:
      'Replaces a text in a file. `old_string` must be in the file exactly once, with its indentation and without the line numbers that Read shows; with `replace_all` every occurrence is replaced. An empty `old_string` creates a file. Read a file before you edit it.',
    inputSchema: {
      type: 'object',
      properties: {
        file_path: { type: 'string', description: 'The file, as an absolute path' },
        old_string: { type: 'string', description: 'The text to replace' },
        new_string: { type: 'string', description: 'The text to put in its place' },
        replace_all: { type: 'boolean', description: 'Replace every occurrence (default: false)' },
      },
      required: ['file_path', 'old_string', 'new_string'],
      additionalProperties: false,
    },
    pathField: 'file_path',
    // A file that it makes is as it was given.
    linesField: ({ old_string }) => (old_string === '' ? undefined : 'new_string'),
    shown: (output) =>
      hasShape<EditOutput>(output, { filePath: 'string', oldString: 'string', newString: 'string' })
        ? said(output)
        : undefined,
    defaults: { replace_all: false },
    misuse: ({ old_string, new_string }) =>
      old_string === new_string
        ? '`old_string` and `new_string` are the same: nothing would change.'
        : undefined,
    plan: (fields, target) => planEdit(tools, fields as unknown as EditFields, target),
    apply: (plan, fields, target) => applyEdit(tools, plan, fields as unknown as EditFields, target),
  });
}

async function planEdit(tools: FileTools, fields: EditFields, target: Target): Promise<Planned<EditPlan>> {
  if (extensionOf(target.path) === 'ipynb') return { problem: WORDS.notebook };
  const standing = await standingOf(tools, target, false);
  if (standing.kind === 'problem') return standing;
  const { old_string: find, new_string: put, replace_all: all = false } = fields;
  if (standing.kind === 'new') {
    if (find !== '') return { problem: WORDS.missing((await tools.here()).root) };
    const made = { before: '', after: put, encoding: 'utf-8' as const, found: '' };
    return { plan: { ...made, isStale: false, isInContext: true } };
  }
  const { file, seen, isStale } = standing;
  if (file.damage !== undefined) return { problem: WORDS.cannotWrite(file.damage) };
  const replaced = find === '' ? filled(file, put) : replaceIn(file, { find, put, all });
  if (replaced.kind !== 'done') return { problem: isStale ? WORDS.changed : unclear(replaced, find) };
  if (replaced.raw === file.raw) return { problem: 'The file would not change.' };
  return {
    plan: {
      before: file.raw,
      after: replaced.raw,
      encoding: file.encoding,
      found: replaced.found,
      isStale,
      isInContext: seen?.isInContext === true && !isStale,
    },
  };
}

type Unclear = Exclude<Replaced, { kind: 'done' }> | { kind: 'filled' };

/** An empty text is in every file; it can only stand for all of an empty one. */
function filled({ raw }: TextFile, put: string): Extract<Replaced, { kind: 'done' }> | { kind: 'filled' } {
  if (readable(raw).trim() !== '') return { kind: 'filled' };
  return { kind: 'done', raw: markedLike(put, raw), found: '' };
}

function unclear(replaced: Unclear, find: string): string {
  if (replaced.kind === 'filled') {
    return 'The file has content already: an empty `old_string` can only create a file or fill an empty one.';
  }
  return replaced.kind === 'missing'
    ? `The file does not contain \`old_string\`:\n${find}`
    : `The file contains \`old_string\` ${replaced.count} times. Give more of the text around the one that is meant, or set \`replace_all\` to true:\n${find}`;
}

async function applyEdit(
  { context, memory }: FileTools,
  { before, after, encoding, found, isStale, isInContext }: EditPlan,
  { file_path: filePath, new_string: newString, replace_all: replaceAll = false }: EditFields,
  { real }: Target,
): Promise<ToolOutcome> {
  await context.beforeChange?.(real);
  await context.workspace.write(real, encodeText(after, encoding));
  await memory.note(real, after, isInContext);
  const originalFile = withPlainLineEnds(before);
  const detail = {
    filePath,
    oldString: found,
    newString,
    originalFile,
    structuredPatch: await patchOf(originalFile, withPlainLineEnds(after)),
    userModified: false,
    replaceAll,
    ...(isStale ? { staleRecovered: true } : {}),
    ...(isInContext ? {} : { contentNotInModelContext: true }),
  };
  return { content: said(detail), detail };
}

interface EditOutput {
  readonly filePath: string;
  readonly replaceAll?: boolean;
  readonly staleRecovered?: boolean;
  readonly contentNotInModelContext?: boolean;
}

function said({ filePath, replaceAll, staleRecovered, contentNotInModelContext }: EditOutput): string {
  const done = replaceAll ? `Every occurrence in ${filePath} was replaced.` : `${filePath} was changed.`;
  if (staleRecovered) {
    return `${done} It had been changed by somebody else since you read it; the edit fits, but other parts are not as you know them. Read it before you rely on them.`;
  }
  return contentNotInModelContext ? done : `${done} You know its content; there is no need to read it again.`;
}
