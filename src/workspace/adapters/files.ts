import type { Dirent } from 'node:fs';
import type { FileStat, ReadOptions } from '../workspace.js';

/**
 * The files of this machine, by paths without links. A path in which there is a link by now is refused. Errors are
 * those of Node, or `linkRefused`.
 */
export interface FileAccess {
  stat(path: string): Promise<FileStat>;
  read(path: string, options: ReadOptions): Promise<Uint8Array>;
  write(path: string, content: Uint8Array): Promise<void>;
  append(path: string, content: Uint8Array): Promise<void>;
  remove(path: string): Promise<void>;
  list(path: string): Promise<Dirent[]>;
  /** A directory under a path that keeps leading to it until it is released. */
  hold(path: string): Promise<HeldDirectory>;
}

export interface HeldDirectory {
  readonly path: string;
  release(): Promise<void>;
}
