import { messageOf, TenonError } from '../../protocol/base/errors.js';

export function systemCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

export function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '');
}

/** Whoever asked for the path has decided about another one. */
export function linkRefused(path: string): TenonError {
  return new TenonError(
    'LINK_REFUSED',
    `"${path}" was not used: a part of it is a symbolic link, or became one. Ask for the path that the link leads to.`,
  );
}

/** What the model can act on, in place of a message that names a path of ours. */
export function fileError(error: unknown, path: string): Error {
  if (TenonError.is(error)) return error;
  const code = systemCode(error);
  const [kind, words] = (code === undefined ? undefined : REASONS[code]) ?? ['FILE_FAILED', messageOf(error)];
  return new TenonError(kind, `"${path}": ${words}`, { cause: error });
}

const REASONS: Readonly<Record<string, readonly ['FILE_FAILED' | 'FILE_NOT_FOUND', string]>> = {
  ENOENT: ['FILE_NOT_FOUND', 'there is no such file or directory.'],
  ENOTDIR: ['FILE_NOT_FOUND', 'a part of the path is a file, not a directory.'],
  EISDIR: ['FILE_FAILED', 'it is a directory, not a file.'],
  EEXIST: ['FILE_FAILED', 'it is there already.'],
  EACCES: ['FILE_FAILED', 'the operating system does not permit this (EACCES).'],
  EPERM: ['FILE_FAILED', 'the operating system does not permit this (EPERM).'],
  EROFS: ['FILE_FAILED', 'the file system is read-only.'],
  ENOSPC: ['FILE_FAILED', 'there is no room left on the disk.'],
  ENAMETOOLONG: ['FILE_FAILED', 'the name is too long.'],
};
