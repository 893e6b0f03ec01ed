// The CLI's names for what it stores: an id for each conversation, a key for each directory.

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Anything else could be a path that leads out of the folder, so it is never looked up. */
export function isSessionId(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}

/** Longer names are cut and end in a hash: a folder's name is limited to 255 bytes. */
const MAX_LENGTH = 200;

/** The CLI's name for the conversations of a directory. */
export function projectKeyOf(path: string): string {
  const name = path.normalize('NFC').replaceAll(/[^a-zA-Z0-9]/g, '-');
  return name.length <= MAX_LENGTH ? name : `${name.slice(0, MAX_LENGTH)}-${hashOf(path)}`;
}

function hashOf(text: string): string {
  let hash = 0;
  for (let index = 0; index < text.length; index += 1) {
    hash = ((hash << 5) - hash + text.charCodeAt(index)) | 0;
  }
  return Math.abs(hash).toString(36);
}
