import { failedOutcome, type ToolOutcome } from '../../runtime/tools/tool-port.js';
import { toBase64 } from '../files/base64.js';
import { type ImageFacts, imageFacts } from '../files/image-size.js';
import type { FileTools } from './changed-file.js';
import type { ReadFields, ReadTarget } from './read.js';

type Blocks = Exclude<ToolOutcome['content'], string>;

export const IMAGE_EXTENSIONS: ReadonlySet<string> = new Set(['png', 'jpg', 'jpeg', 'gif', 'webp']);

/** What APIs of models take: bytes of an image, which become a third more as base64; pixels of a side; bytes of a PDF. */
const MAX_IMAGE_BYTES = 3_750_000;
const MAX_SIDE = 8_000;
const MAX_PDF_BYTES = 20 * 1024 * 1024;

export async function readImage(
  { context }: FileTools,
  { path, real, size, signal }: ReadTarget,
): Promise<ToolOutcome> {
  if (size === 0) return failedOutcome(`The image ${path} is empty.`);
  if (size > MAX_IMAGE_BYTES) {
    return failedOutcome(
      `The image ${path} has ${Math.ceil(size / 1024)} KB, more than a model takes. Make it smaller first.`,
    );
  }
  const bytes = await context.workspace.read(real, { signal });
  const facts = imageFacts(bytes);
  if (facts === undefined) {
    return failedOutcome(
      `${path} is named like an image, but is none (PNG, JPEG, GIF or WebP). Perhaps it is a page with an error that was saved in its place.`,
    );
  }
  const { type, size: pixels } = facts;
  if (pixels !== undefined && Math.max(pixels.width, pixels.height) > MAX_SIDE) {
    return failedOutcome(
      `The image ${path} has ${pixels.width} × ${pixels.height} pixels; a model takes at most ${MAX_SIDE} on a side. Make it smaller first.`,
    );
  }
  const base64 = toBase64(bytes);
  const dimensions = pixels === undefined ? {} : { dimensions: dimensionsOf(pixels) };
  return {
    content: shownImage({ base64, type }),
    detail: { type: 'image', file: { base64, type, originalSize: bytes.length, ...dimensions } },
  };
}

export function shownImage({ base64, type }: Pick<ImageFacts, 'type'> & { base64: string }): Blocks {
  return [{ type: 'image', source: { type: 'base64', data: base64, media_type: type } }];
}

interface PdfFile {
  readonly filePath: string;
  readonly base64: string;
  readonly originalSize: number;
}

export function shownPdf({ filePath, base64, originalSize }: PdfFile): Blocks {
  return [
    { type: 'text', text: `The PDF ${filePath} (${originalSize} bytes):` },
    { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: base64 } },
  ];
}

function dimensionsOf({ width, height }: { width: number; height: number }): Record<string, number> {
  return { originalWidth: width, originalHeight: height, displayWidth: width, displayHeight: height };
}

export async function readPdf(
  { context }: FileTools,
  { pages }: ReadFields,
  { path, real, size, signal }: ReadTarget,
): Promise<ToolOutcome> {
  if (pages !== undefined) {
    return failedOutcome(
      'Single pages of a PDF cannot be read here. Read the whole PDF without `pages`, or take the pages out with a command.',
    );
  }
  if (size > MAX_PDF_BYTES)
    return failedOutcome('The PDF has more than 20 MB. Take out the pages that you need.');
  const bytes = await context.workspace.read(real, { signal });
  if (new TextDecoder().decode(bytes.subarray(0, 5)) !== '%PDF-') {
    return failedOutcome(`${path} is named like a PDF, but does not begin like one.`);
  }
  const file = { filePath: path, base64: toBase64(bytes), originalSize: bytes.length };
  return { content: shownPdf(file), detail: { type: 'pdf', file } };
}
