import type { ToolOutcome } from '../../runtime/tools/tool-port.js';
import type { ImageFacts } from '../files/image-size.js';
import type { ShownCell } from '../files/notebook.js';
import { hasShape } from './output-shape.js';
import { shownImage, shownPdf } from './read-media.js';
import { shownNotebook } from './read-notebook.js';
import { type ShownPage, shownText } from './read-text.js';

/** What the model reads of an output of Read that a hook has changed. */
export function shownRead(output: unknown): ToolOutcome['content'] | undefined {
  if (!hasShape<{ type: string; file: unknown }>(output, { type: 'string', file: 'object' }))
    return undefined;
  const { type, file } = output;
  if (type === 'text') {
    const numbers = { numLines: 'number', startLine: 'number', totalLines: 'number' } as const;
    return hasShape<ShownPage>(file, { content: 'string', ...numbers }) ? shownText(file) : undefined;
  }
  if (type === 'image') {
    const isImage = hasShape<{ base64: string; type: ImageFacts['type'] }>(file, {
      base64: 'string',
      type: 'string',
    });
    return isImage ? shownImage(file) : undefined;
  }
  if (type === 'notebook') {
    return hasShape<{ cells: unknown[] }>(file, { cells: 'array' }) && file.cells.every(isCell)
      ? shownNotebook(file.cells)
      : undefined;
  }
  const isPdf = hasShape<Parameters<typeof shownPdf>[0]>(file, {
    filePath: 'string',
    base64: 'string',
    originalSize: 'number',
  });
  return type === 'pdf' && isPdf ? shownPdf(file) : undefined;
}

function isCell(cell: unknown): cell is ShownCell {
  return hasShape(cell, { cellType: 'string', source: 'string', cell_id: 'string' });
}
