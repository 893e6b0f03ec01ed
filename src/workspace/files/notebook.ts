// Jupyter notebooks: JSON with cells, of which code cells have outputs.

import { clock } from '../../protocol/base/clock.js';
import { messageOf } from '../../protocol/base/errors.js';
import { isRecord } from '../../protocol/base/kinds.js';

type Json = Record<string, unknown>;

export interface Notebook {
  readonly document: Json;
  /** The same objects as in the document. */
  readonly cells: Json[];
  readonly language: string;
}

/** A cell as a host sees it. */
export interface ShownCell {
  cellType: string;
  source: string;
  execution_count?: number;
  cell_id: string;
  language?: string;
  outputs?: ShownOutput[];
}

export interface ShownOutput {
  output_type: string;
  text?: string;
  image?: { image_data: string; media_type: 'image/png' | 'image/jpeg' };
}

/** Throws if it is none. */
export function parseNotebook(text: string): Notebook {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw new Error(`The notebook is not valid JSON; it may be damaged or half written: ${messageOf(error)}`);
  }
  const cells = isRecord(document) ? document.cells : undefined;
  if (!isRecord(document) || !Array.isArray(cells) || !cells.every(isRecord)) {
    throw new Error('The file is no notebook: it has no list of cells.');
  }
  const { language_info: info } = isRecord(document.metadata) ? document.metadata : {};
  const language = isRecord(info) && typeof info.name === 'string' ? info.name : 'python';
  return { document, cells, language };
}

/** With the indentation and the last line end of `before`. */
export function writeNotebook({ document }: Notebook, before: string): string {
  const [, indentation = ' '] = /^\{\r?\n([ \t]+)"/.exec(before) ?? [];
  return JSON.stringify(document, null, indentation) + (before.endsWith('\n') ? '\n' : '');
}

export function shownCells({ cells, language }: Notebook): ShownCell[] {
  return cells.map((cell, index) => {
    const isCode = cell.cell_type === 'code';
    const outputs =
      isCode && Array.isArray(cell.outputs) ? cell.outputs.filter(isRecord).map(shownOutput) : [];
    return {
      cellType: String(cell.cell_type),
      source: textOf(cell.source),
      ...(isCode && typeof cell.execution_count === 'number'
        ? { execution_count: cell.execution_count }
        : {}),
      cell_id: idOf(cell, index),
      ...(isCode ? { language } : {}),
      ...(outputs.length > 0 ? { outputs } : {}),
    };
  });
}

/** Where the cell is; undefined if there is none. `cell-2` is the third one, for cells without an id. */
export function findCell({ cells }: Notebook, id: string): number | undefined {
  const place = cells.findIndex((cell) => cell.id === id);
  if (place !== -1) return place;
  const [, number] = /^cell-(\d+)$/.exec(id) ?? [];
  return number !== undefined && Number(number) < cells.length ? Number(number) : undefined;
}

export function newCell({ document }: Notebook, type: string, source: string): Json {
  const { nbformat, nbformat_minor: minor } = document;
  const hasIds = Number(nbformat) > 4 || (Number(nbformat) === 4 && Number(minor) >= 5);
  return {
    cell_type: type,
    ...(hasIds ? { id: clock.uuid().slice(0, 8) } : {}),
    source,
    metadata: {},
    ...(type === 'code' ? { execution_count: null, outputs: [] } : {}),
  };
}

/** Outputs are those of the code that was there before. */
export function replaceSource(cell: Json, source: string, type: string | undefined): void {
  cell.source = source;
  if (type !== undefined) cell.cell_type = type;
  if (cell.cell_type === 'code') {
    cell.execution_count = null;
    cell.outputs = [];
  } else {
    delete cell.execution_count;
    delete cell.outputs;
  }
}

/** Texts in notebooks may be lists of lines. */
export function textOf(value: unknown): string {
  return Array.isArray(value) ? value.join('') : typeof value === 'string' ? value : '';
}

function idOf({ id }: Json, index: number): string {
  return typeof id === 'string' ? id : `cell-${index}`;
}

function shownOutput(output: Json): ShownOutput {
  const output_type = String(output.output_type);
  if (output_type === 'stream') return { output_type, text: textOf(output.text) };
  if (output_type === 'error') {
    const trace = Array.isArray(output.traceback) ? output.traceback.join('\n') : '';
    return { output_type, text: `${output.ename}: ${output.evalue}\n${trace}` };
  }
  const data = isRecord(output.data) ? output.data : {};
  const text = textOf(data['text/plain']);
  const image = imageIn(data);
  return { output_type, ...(text === '' ? {} : { text }), ...(image === undefined ? {} : { image }) };
}

function imageIn(data: Json): ShownOutput['image'] {
  for (const media_type of ['image/png', 'image/jpeg'] as const) {
    const image_data = textOf(data[media_type]).replaceAll(/\s/g, '');
    if (image_data !== '') return { image_data, media_type };
  }
  return undefined;
}
