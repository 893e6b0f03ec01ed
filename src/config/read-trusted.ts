import { closeSync, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';

/** A file's text, and the user id of whoever owns it if that is neither we nor root. */
export interface OwnedText {
  text: string;
  foreignOwner: number | undefined;
}

/**
 * Reads a file and says whose it is: of a symbolic link, who made the link, too. The owner is asked for after
 * opening, so that nobody can exchange the file in between.
 */
export function readWithOwner(path: string, self: number | undefined = process.getuid?.()): OwnedText {
  const file = openSync(path, 'r');
  try {
    const owners = [fstatSync(file).uid, lstatSync(path).uid];
    // Where there are no user ids (Windows), permissions alone decide who can write.
    const foreignOwner = self === undefined ? undefined : owners.find((uid) => uid !== self && uid !== 0);
    return { text: readFileSync(file, 'utf8'), foreignOwner };
  } finally {
    closeSync(file);
  }
}
