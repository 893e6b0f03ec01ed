import type { RuntimeTool, ToolOutcome } from '../../runtime/tools/tool-port.js';
import { failedOutcome } from '../../runtime/tools/tool-port.js';
import { patchOf } from '../files/patch.js';
import { encodeText, markedLike, type TextFile, withPlainLineEnds } from '../files/text-file.js';
import { type FileTools, standingOf, type Target } from './changed-file.js';
import { extensionOf } from './file-places.js';
import { changingTool, type Planned } from './file-tool.js';
import { WORDS } from './file-words.js';
import { hasShape } from './output-shape.js';

/** Undefined: there is no file yet. */
type WritePlan = { readonly before: TextFile | undefined };

/** `Write`: makes a file, or replaces all of one. */
export function writeTool(tools: FileTools): RuntimeTool {
  return changingTool<WritePlan>(tools, {
    name: 'Write',
    description:
      'Writes a file, and the directories above it if they are missing. What the file contained is replaced, so read an existing file first. To change a part of a file, use Edit.',
    inputSchema: {
      type: 'object',
      properties: {
        file_path: { type: 'string', description: 'The file, as an absolute path' },
        content: { type: 'string', description: 'All that the file shall contain' },
      },
      required: ['file_path', 'content'],
      additionalProperties: false,
    },
    pathField: 'file_path',
    linesField: () => 'content',
    shown: (output) =>
      hasShape<WriteOutput>(output, { type: 'string', filePath: 'string', content: 'string' })
        ? said(output)
        : undefined,
    plan: (_, target) => planWrite(tools, target),
    apply: (plan, { file_path, content }, target) =>
      applyWrite(tools, plan, String(file_path), String(content), target),
  });
}

async function planWrite(tools: FileTools, target: Target): Promise<Planned<WritePlan>> {
  // A notebook is more than its text: replacing one that nobody has looked at would lose outputs.
  const standing = await standingOf(tools, target, extensionOf(target.path) === 'ipynb');
  if (standing.kind === 'problem') return standing;
  if (standing.kind === 'new') return { plan: { before: undefined } };
  return standing.isStale ? { problem: WORDS.changed } : { plan: { before: standing.file } };
}

async function applyWrite(
  { context, memory }: FileTools,
  { before }: WritePlan,
  filePath: string,
  given: string,
  { real }: Target,
): Promise<ToolOutcome> {
  if (before?.damage !== undefined) return failedOutcome(WORDS.cannotWrite(before.damage));
  const content = before === undefined ? given : markedLike(given, before.raw);
  await context.beforeChange?.(real);
  await context.workspace.write(real, encodeText(content, before?.encoding ?? 'utf-8'));
  await memory.note(real, content, true);
  const originalFile = before === undefined ? null : withPlainLineEnds(before.raw);
  const detail = {
    type: before === undefined ? 'create' : 'update',
    filePath,
    content,
    structuredPatch: originalFile === null ? [] : await patchOf(originalFile, content),
    originalFile,
    userModified: false,
  };
  return { content: said(detail), detail };
}

interface WriteOutput {
  readonly type: string;
  readonly filePath: string;
}

function said({ type, filePath }: WriteOutput): string {
  return `${filePath} was ${type === 'create' ? 'created' : 'replaced'}. You know its content; there is no need to read it.`;
}
