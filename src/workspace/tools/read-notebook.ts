import { messageOf } from '../../protocol/base/errors.js';
import { failedOutcome, type ToolOutcome } from '../../runtime/tools/tool-port.js';
import { parseNotebook, type ShownCell, shownCells } from '../files/notebook.js';
import { decodeText, readable } from '../files/text-file.js';
import { MAX_READ_TOKENS, tokensIn } from '../files/text-page.js';
import type { FileTools } from './changed-file.js';
import type { ReadFields, ReadTarget } from './read.js';

type Block = Exclude<ToolOutcome['content'], string>[number];

export async function readNotebook(
  { context, memory }: FileTools,
  { file_path: filePath }: ReadFields,
  { real, signal }: ReadTarget,
): Promise<ToolOutcome> {
  const { raw } = decodeText(await context.workspace.read(real, { signal }));
  let cells: ShownCell[];
  try {
    cells = shownCells(parseNotebook(readable(raw)));
  } catch (error) {
    return failedOutcome(messageOf(error));
  }
  const content = shownNotebook(cells);
  const tokens = content.reduce((sum, block) => sum + (block.type === 'text' ? tokensIn(block.text) : 0), 0);
  if (tokens > MAX_READ_TOKENS) {
    return failedOutcome(
      `The notebook has about ${tokens} tokens; at most ${MAX_READ_TOKENS} are read at once. Clear its outputs, or look at single cells with a command.`,
    );
  }
  await memory.note(real, raw, true);
  return { content, detail: { type: 'notebook', file: { filePath, cells } } };
}

export function shownNotebook(cells: readonly ShownCell[]): Block[] {
  return joined(cells.flatMap(blocksOf));
}

/** The cell with its id, which NotebookEdit needs, and then its outputs. */
function blocksOf({ cellType, source, cell_id: id, language = 'python', outputs = [] }: ShownCell): Block[] {
  const tongue = language === 'python' ? '' : `<language>${language}</language>`;
  const kind = cellType === 'code' ? tongue : `<cell_type>${cellType}</cell_type>`;
  return [
    { type: 'text', text: `<cell id="${id}">${kind}${source}</cell id="${id}">` },
    ...outputs.flatMap(({ text, image }): Block[] => [
      ...(text === undefined ? [] : [{ type: 'text' as const, text: `\n${text}` }]),
      ...(image === undefined
        ? []
        : [
            {
              type: 'image' as const,
              source: { type: 'base64' as const, data: image.image_data, media_type: image.media_type },
            },
          ]),
    ]),
  ];
}

/** Texts that follow each other are one. */
function joined(blocks: readonly Block[]): Block[] {
  const result: Block[] = [];
  for (const block of blocks) {
    const last = result.at(-1);
    if (block.type === 'text' && last?.type === 'text') last.text += `\n${block.text}`;
    else result.push({ ...block });
  }
  return result;
}
