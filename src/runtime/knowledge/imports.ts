import { readHead } from './front-matter.js';

/** What a memory file says: without its head, and without comments that have lines of their own. */
export function memoryText(text: string): string {
  return readHead(text)
    .body.replaceAll(/^[ \t]*<!--[\s\S]*?-->[ \t]*(?:\r?\n|$)/gm, '')
    .trim();
}

/** The paths that a text imports, as `@path`, in order; code is not looked at. */
export function importsIn(text: string): string[] {
  const prose = text
    .replaceAll(/^[ \t]*(`{3,}|~{3,})[\s\S]*?(?:^[ \t]*\1[ \t]*$|$(?![\s\S]))/gm, '')
    .replaceAll(/(`+)[^`](?:[\s\S]*?[^`])?\1(?!`)/g, '');
  const found = [...prose.matchAll(/(?<=^|\s)@([^\s@]+)/g)].map(([, path = '']) => path);
  return [...new Set(found)];
}
