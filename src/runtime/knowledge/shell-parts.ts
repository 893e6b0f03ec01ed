/** A command inside a text, which its output takes the place of. */
export interface ShellPart {
  readonly command: string;
  /** As it is written. */
  readonly written: string;
}

/** `` !`command` `` after a blank, and blocks that begin with ```` ```! ````. */
const SHELL = /(?<=^|\s)!`([^`\n]+)`|^[ \t]*```!\s*\n([\s\S]*?)\n[ \t]*```[ \t]*$/gm;

export function shellPartsIn(text: string): ShellPart[] {
  return [...text.matchAll(SHELL)].map(([written, inline, block]) => ({
    written,
    command: (inline ?? block ?? '').trim(),
  }));
}

/** Outputs in the order of the parts. */
export function withOutputs(text: string, outputs: readonly string[]): string {
  let index = 0;
  return text.replaceAll(SHELL, () => outputs[index++] ?? '');
}
