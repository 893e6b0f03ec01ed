import type {
  McpAudioContent,
  McpContentBlock,
  McpEmbeddedResource,
  McpImageContent,
  McpResourceLink,
  McpTextContent,
} from '../../protocol/mcp.js';

/** Bytes, or text that is base64 already. */
export type BinaryData = Uint8Array | string;

export interface LinkedResource {
  uri: string;
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  mimeType?: string | undefined;
  size?: number | undefined;
}

/** The parts of a tool's result: return one of them, or a list. */
export const content = {
  text: (text: string): McpTextContent => ({ type: 'text', text }),

  /** The type of the image is read from its first bytes when it is not given. */
  image: (data: BinaryData, mimeType?: string): McpImageContent => ({
    type: 'image',
    data: base64Of(data),
    mimeType: mimeType ?? mediaTypeOf(data) ?? 'image/png',
  }),

  audio: (data: BinaryData, mimeType?: string): McpAudioContent => ({
    type: 'audio',
    data: base64Of(data),
    mimeType: mimeType ?? mediaTypeOf(data) ?? 'audio/wav',
  }),

  /** Something that the model may read later, by its URI. */
  resourceLink: (resource: LinkedResource): McpResourceLink => ({ type: 'resource_link', ...resource }),

  /** Something that it reads now: text, or bytes. */
  resource: (uri: string, data: string | Uint8Array, mimeType?: string): McpEmbeddedResource => {
    const kind = mimeType === undefined ? {} : { mimeType };
    return {
      type: 'resource',
      resource:
        typeof data === 'string' ? { uri, ...kind, text: data } : { uri, ...kind, blob: base64Of(data) },
    };
  },
} as const;

/** Bytes that a handler returned as they are. */
export function binaryContent(data: Uint8Array): McpContentBlock {
  const mimeType = mediaTypeOf(data);
  if (mimeType?.startsWith('image/')) return content.image(data, mimeType);
  if (mimeType?.startsWith('audio/')) return content.audio(data, mimeType);
  return content.resource('tenon-result:bytes', data, mimeType ?? 'application/octet-stream');
}

export function base64Of(data: BinaryData): string {
  return typeof data === 'string'
    ? data
    : Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64');
}

/** The first bytes of the kinds that models take, and of common sound files. */
const SIGNATURES: readonly [mimeType: string, test: RegExp][] = [
  ['image/png', /^\x89PNG/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[\s\S]{4}WEBP/],
  ['audio/wav', /^RIFF[\s\S]{4}WAVE/],
  ['audio/mpeg', /^(ID3|\xff[\xfb\xf3\xf2])/],
  ['audio/ogg', /^OggS/],
  ['application/pdf', /^%PDF-/],
];

function mediaTypeOf(data: BinaryData): string | undefined {
  const bytes = typeof data === 'string' ? Buffer.from(data.slice(0, 24), 'base64') : data;
  const head = Buffer.from(bytes.subarray(0, 16)).toString('latin1');
  return SIGNATURES.find(([, test]) => test.test(head))?.[0];
}
