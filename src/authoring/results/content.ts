import type {
  McpAudioContent,
  McpContentBlock,
  McpEmbeddedResource,
  McpImageContent,
  McpResourceLink,
  McpTextContent,
} from '../../mcp/types.js';

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

  /** Something that the model reads now: text or bytes. */
  resource: (uri: string, data: string | Uint8Array, mimeType?: string): McpEmbeddedResource => {
    const kind = mimeType === undefined ? {} : { mimeType };
    return {
      type: 'resource',
      resource:
        typeof data === 'string' ? { uri, ...kind, text: data } : { uri, ...kind, blob: base64Of(data) },
    };
  },
} as const;

/** What each kind of block must have; bytes in `data` become base64. */
const REQUIRED: Record<
  McpContentBlock['type'],
  readonly (readonly [field: string, fits: (value: unknown) => boolean])[]
> = {
  text: [['text', isString]],
  image: [
    ['data', isBinary],
    ['mimeType', isString],
  ],
  audio: [
    ['data', isBinary],
    ['mimeType', isString],
  ],
  resource_link: [
    ['uri', isString],
    ['name', isString],
  ],
  resource: [['resource', isResourceContents]],
};

export function isContentBlock(value: unknown): value is McpContentBlock {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false;
  const type = value.type as McpContentBlock['type'];
  if (!Object.hasOwn(REQUIRED, type)) return false;
  return REQUIRED[type].every(([field, fits]) => fits((value as unknown as Record<string, unknown>)[field]));
}

function isString(value: unknown): boolean {
  return typeof value === 'string';
}

function isBinary(value: unknown): boolean {
  return typeof value === 'string' || value instanceof Uint8Array;
}

function isResourceContents(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { uri, text, blob } = value as Record<string, unknown>;
  return typeof uri === 'string' && (typeof text === 'string' || isBinary(blob));
}

/** Bytes become base64. */
export function withBase64(block: McpContentBlock): McpContentBlock {
  if (block.type === 'image' || block.type === 'audio') return { ...block, data: base64Of(block.data) };
  if (block.type !== 'resource' || !('blob' in block.resource)) return block;
  return { ...block, resource: { ...block.resource, blob: base64Of(block.resource.blob) } };
}

/** Bytes that a handler returned directly. */
export function binaryContent(data: Uint8Array): McpContentBlock {
  const mimeType = mediaTypeOf(data);
  if (mimeType?.startsWith('image/')) return content.image(data, mimeType);
  if (mimeType?.startsWith('audio/')) return content.audio(data, mimeType);
  return content.resource('tenon-result:bytes', data, mimeType ?? 'application/octet-stream');
}

export function base64Of(data: BinaryData): string {
  if (typeof data === 'string') return data;
  if (typeof Buffer === 'undefined') return btoa(latin1(data));
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64');
}

/** In pieces: a call can have only so many arguments. */
function latin1(bytes: Uint8Array): string {
  let text = '';
  for (let index = 0; index < bytes.length; index += 4096) {
    text += String.fromCharCode(...bytes.subarray(index, index + 4096));
  }
  return text;
}

/** The first bytes of the image formats that models accept, and of common audio formats. */
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
  const head = typeof data === 'string' ? decoded(data.slice(0, 24)) : latin1(data.subarray(0, 16));
  return SIGNATURES.find(([, test]) => test.test(head))?.[0];
}

/** What is not base64 has no signature either. */
function decoded(base64: string): string {
  try {
    return atob(base64);
  } catch {
    return '';
  }
}
