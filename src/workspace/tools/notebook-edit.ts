import { messageOf } from '../../protocol/base/errors.js';
import type { RuntimeTool, ToolOutcome } from '../../runtime/tools/tool-port.js';
import {
  findCell,
  type Notebook,
  newCell,
  parseNotebook,
  replaceSource,
  textOf,
  writeNotebook,
} from '../files/notebook.js';
import { encodeText, markedLike, type TextFile, withPlainLineEnds } from '../files/text-file.js';
import { type FileTools, standingOf, type Target } from './changed-file.js';
import { extensionOf } from './file-places.js';
import { changingTool, type Planned } from './file-tool.js';
import { WORDS } from './file-words.js';
import { hasShape } from './output-shape.js';

interface NotebookFields {
  readonly notebook_path: string;
  readonly cell_id?: string;
  readonly new_source: string;
  readonly cell_type?: 'code' | 'markdown';
  readonly edit_mode?: 'replace' | 'insert' | 'delete';
}

interface NotebookPlan {
  readonly before: TextFile;
  readonly after: string;
  readonly language: string;
  readonly cellType: string;
  readonly cellId: string | undefined;
  readonly oldSource: string | undefined;
}

/** `NotebookEdit`: replaces, inserts or deletes one cell of a Jupyter notebook. */
export function notebookEditTool(tools: FileTools): RuntimeTool {
  return changingTool<NotebookPlan>(tools, {
    name: 'NotebookEdit',
    description:
      'Changes one cell of a Jupyter notebook (.ipynb) that you have read. Replacing a cell clears its outputs. A new cell is inserted after the one with `cell_id`, or at the beginning.',
    inputSchema: {
      type: 'object',
      properties: {
        notebook_path: { type: 'string', description: 'The notebook, as an absolute path' },
        cell_id: { type: 'string', description: 'The cell, by the id that Read shows' },
        new_source: { type: 'string', description: 'What the cell shall contain' },
        cell_type: {
          type: 'string',
          enum: ['code', 'markdown'],
          description: 'What the cell is; needed to insert one (default: what it is now)',
        },
        edit_mode: {
          type: 'string',
          enum: ['replace', 'insert', 'delete'],
          description: 'What to do with the cell (default: replace)',
        },
      },
      required: ['notebook_path', 'new_source'],
      additionalProperties: false,
    },
    pathField: 'notebook_path',
    shown: (output) =>
      hasShape<NotebookOutput>(output, { new_source: 'string', edit_mode: 'string', notebook_path: 'string' })
        ? said(output)
        : undefined,
    misuse: (fields) => misuse(fields as unknown as NotebookFields),
    plan: (fields, target) => planChange(tools, fields as unknown as NotebookFields, target),
    apply: (plan, fields, target) => applyChange(tools, plan, fields as unknown as NotebookFields, target),
  });
}

function misuse({ notebook_path, cell_id, cell_type, edit_mode }: NotebookFields): string | undefined {
  if (extensionOf(notebook_path) !== 'ipynb') return WORDS.notNotebook;
  if (edit_mode === 'insert') {
    return cell_type === undefined
      ? 'To insert a cell, say its `cell_type`: "code" or "markdown".'
      : undefined;
  }
  return cell_id === undefined ? 'Say which cell is meant with `cell_id`, as Read shows it.' : undefined;
}

async function planChange(
  tools: FileTools,
  fields: NotebookFields,
  target: Target,
): Promise<Planned<NotebookPlan>> {
  const standing = await standingOf(tools, target, true);
  if (standing.kind === 'problem') return standing;
  if (standing.kind === 'new') return { problem: WORDS.missing((await tools.here()).root) };
  const { file: before, isStale } = standing;
  if (isStale) return { problem: WORDS.changed };
  if (before.damage !== undefined) return { problem: WORDS.cannotWrite(before.damage) };
  const text = withPlainLineEnds(before.raw);
  try {
    const notebook = parseNotebook(text.replace(/^\uFEFF/, ''));
    const changed = change(notebook, fields);
    if (typeof changed === 'string') return { problem: changed };
    const after = markedLike(writeNotebook(notebook, text), text);
    return { plan: { before, after, language: notebook.language, ...changed } };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

type Changed = Pick<NotebookPlan, 'cellType' | 'cellId' | 'oldSource'>;

/** Changes the notebook in memory; a text says why it cannot. */
function change(notebook: Notebook, fields: NotebookFields): Changed | string {
  const { cell_id: id, new_source: source, cell_type: type, edit_mode: mode = 'replace' } = fields;
  const { cells } = notebook;
  const place = id === undefined ? -1 : findCell(notebook, id);
  if (place === undefined) return `The notebook has no cell "${id}".`;
  if (mode === 'insert') {
    const made = newCell(notebook, type ?? 'code', source);
    cells.splice(place + 1, 0, made);
    const cellId = typeof made.id === 'string' ? made.id : undefined;
    return { cellType: type ?? 'code', cellId, oldSource: undefined };
  }
  const cell = cells[place];
  if (cell === undefined) return 'Say which cell is meant with `cell_id`.';
  const oldSource = textOf(cell.source);
  if (mode === 'delete') cells.splice(place, 1);
  else replaceSource(cell, source, type);
  return { cellType: String(cell.cell_type), cellId: id, oldSource };
}

async function applyChange(
  { context, memory }: FileTools,
  { before, after, language, cellType, cellId, oldSource }: NotebookPlan,
  { new_source, edit_mode = 'replace' }: NotebookFields,
  { path, real }: Target,
): Promise<ToolOutcome> {
  const raw = before.lineEnd === '\r\n' ? after.replaceAll('\n', '\r\n') : after;
  await context.beforeChange?.(real);
  await context.workspace.write(real, encodeText(raw, before.encoding));
  await memory.note(real, raw, true);
  const detail = {
    new_source,
    ...(oldSource === undefined ? {} : { old_source: oldSource }),
    cell_type: cellType,
    language,
    edit_mode,
    ...(cellId === undefined ? {} : { cell_id: cellId }),
    error: '',
    notebook_path: path,
    original_file: withPlainLineEnds(before.raw),
    updated_file: after,
  };
  return { content: said(detail), detail };
}

interface NotebookOutput {
  readonly edit_mode: NonNullable<NotebookFields['edit_mode']>;
  readonly cell_id?: string;
}

function said({ edit_mode, cell_id: id }: NotebookOutput): string {
  const done = { replace: 'replaced', insert: 'inserted', delete: 'deleted' }[edit_mode];
  return `The cell ${id === undefined ? '' : `${id} `}was ${done}.`;
}
