import { LIMITS } from '../../protocol/base/limits.js';
import type { BuiltInContext } from '../../runtime/tools/built-ins.js';
import { type FileMemory, isOther, type Seen } from '../files/file-memory.js';
import type { Whereabouts } from '../files/paths.js';
import { decodeText, type TextFile } from '../files/text-file.js';
import { fileAbove, isOpenToModel } from './file-places.js';
import { WORDS } from './file-words.js';

/** What the tools that change files have in common. */
export interface FileTools {
  readonly context: BuiltInContext;
  readonly memory: FileMemory;
  /** Where relative paths start: where the shell is. */
  here(): Promise<Whereabouts>;
}

/** The file that a call wants to change: as the call names it, made absolute, and without links. */
export interface Target {
  readonly path: string;
  readonly real: string;
}

export type Standing =
  | { readonly kind: 'problem'; readonly problem: string }
  | { readonly kind: 'new' }
  | {
      readonly kind: 'there';
      readonly file: TextFile;
      /** Undefined: the model has not read it, and need not. */
      readonly seen: Seen | undefined;
      /** It is another text than the model has seen. */
      readonly isStale: boolean;
    };

/** How a file stands that is about to be changed. `mustRead`: also one that the model could read by itself. */
export async function standingOf(
  { context, memory }: FileTools,
  { path, real }: Target,
  mustRead: boolean,
): Promise<Standing> {
  const { workspace } = context;
  const found = await workspace.stat(real);
  if (found === undefined) {
    const above = await fileAbove(workspace, real);
    return above === undefined ? { kind: 'new' } : problem(`${above} is a file, not a directory.`);
  }
  if (found.kind === 'directory') return problem(WORDS.directory(path));
  if (found.kind === 'other') return problem(WORDS.special(path));
  const seen = memory.get(real);
  if (seen === undefined && (mustRead || !(await isOpenToModel(context, path))))
    return problem(WORDS.notRead);
  if (found.size > LIMITS.maxFileBytes) return problem(WORDS.tooLarge(found.size));
  const file = decodeText(await workspace.read(real));
  return { kind: 'there', file, seen, isStale: seen !== undefined && (await isOther(seen, file.raw)) };
}

function problem(text: string): Standing {
  return { kind: 'problem', problem: text };
}
