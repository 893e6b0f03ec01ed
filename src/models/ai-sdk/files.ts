import type { DocumentBlockParam, ImageBlockParam } from '../../protocol/wire/content.js';
import type { FileData, FilePart, JsonObject } from './specification.js';

export type FileBlock = ImageBlockParam | DocumentBlockParam;

/** A part, or why there is none. */
export type Sendable<Part> = { part: Part } | { problem: string };

export function isFile(block: { type: string }): block is FileBlock {
  return block.type === 'image' || block.type === 'document';
}

/** Images and documents, in the way the version of the specification writes them. */
export interface PortableFile {
  inPrompt(block: FileBlock): Sendable<FilePart | { type: 'text'; text: string }>;
  inToolResult(block: FileBlock): Sendable<JsonObject>;
}

/** Base64 text, or a URL. */
type Content = { mediaType: string } & ({ data: string } | { url: string });

export function filesOf(version: string): PortableFile {
  const write = version === 'v2' ? asMedia : version === 'v3' ? asFileData : asFile;
  return {
    inPrompt: (block) => {
      const content = contentOf(block);
      if (typeof content === 'string') return { part: { type: 'text', text: content } };
      if (content === undefined) return unsendable(block);
      return { part: { type: 'file', mediaType: content.mediaType, data: dataOf(content, version) } };
    },
    inToolResult: (block) => {
      const content = contentOf(block);
      if (typeof content === 'string') return { part: { type: 'text', text: content } };
      if (content === undefined) return unsendable(block);
      return write(content, version);
    },
  };
}

/** The content as a file, or as text; undefined: it lies with the vendor of another model. */
function contentOf(block: FileBlock): Content | string | undefined {
  const { source } = block;
  const anyOfItsKind = block.type === 'image' ? 'image/*' : 'application/pdf';
  switch (source.type) {
    case 'base64':
      return { mediaType: source.media_type, data: source.data };
    case 'url':
      return { mediaType: anyOfItsKind, url: source.url };
    case 'text':
      return source.data;
    case 'content':
      return typeof source.content === 'string'
        ? source.content
        : source.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
    default:
      return undefined;
  }
}

function unsendable({ type, source }: FileBlock): { problem: string } {
  return {
    problem: `A ${type} with a source of type "${source.type}" cannot be sent to this model, and was left out.`,
  };
}

function dataOf(content: Content, version: string): FileData {
  if ('url' in content) {
    const url = new URL(content.url);
    return version === 'v2' || version === 'v3' ? url : { type: 'url', url };
  }
  return version === 'v2' || version === 'v3' ? content.data : { type: 'data', data: content.data };
}

function asMedia(content: Content): Sendable<JsonObject> {
  if ('url' in content)
    return {
      problem: 'A file given by its URL in a tool result cannot be sent to this model, and was left out.',
    };
  return { part: { type: 'media', data: content.data, mediaType: content.mediaType } };
}

function asFileData(content: Content): Sendable<JsonObject> {
  const kind = content.mediaType.startsWith('image/') ? 'image' : 'file';
  if ('url' in content) return { part: { type: `${kind}-url`, url: content.url } };
  return { part: { type: `${kind}-data`, data: content.data, mediaType: content.mediaType } };
}

function asFile(content: Content, version: string): Sendable<JsonObject> {
  return { part: { type: 'file', mediaType: content.mediaType, data: dataOf(content, version) } };
}
