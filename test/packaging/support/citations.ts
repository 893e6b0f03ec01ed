/** Which tests say that they prove which requirement. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { root } from './documents.js';

export interface Citation {
  readonly id: string;
  /** From the root of the checkout. */
  readonly file: string;
}

/** Every citation in the names, comments and scenarios of the tests, in the order of the files. */
export function citations(): Citation[] {
  return testFiles().flatMap((file) =>
    citedIn(readFileSync(join(root, file), 'utf8')).map((id) => ({ id, file: shownAs(file) })),
  );
}

/** `R9`, `R25–R28`, `pain 15`, `pains 2, 4 and 55`, `wishes 7, 8`. */
export function citedIn(text: string): string[] {
  const requirements = [...text.matchAll(/\bR(\d{1,3})\b(?:–R(\d{1,3})\b)?/g)].flatMap(
    ([, first, last = first]) => range(Number(first), Number(last)).map((number) => `R${number}`),
  );
  const others = [...text.matchAll(/\b(pain|wish)(?:e?s)? (\d+(?:(?:, | and |, and )\d+)*)\b/gi)].flatMap(
    ([, kind = '', numbers = '']) =>
      [...numbers.matchAll(/\d+/g)].map(([number]) => `${kind.toLowerCase()} ${number}`),
  );
  return [...new Set([...requirements, ...others])];
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

function testFiles(): string[] {
  const isTest = /\.test(-d)?\.ts$/;
  const isGate = /^test\/packaging\/requirements\.test\.ts$/;
  const isScenario = /^test\/matrix\/scenarios\//;
  return ['test', 'examples']
    .flatMap((folder) => walk(folder))
    .filter((file) => (isTest.test(file) && !isGate.test(file)) || isScenario.test(file))
    .sort();
}

function walk(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`.split(sep).join('/');
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : walk(path);
    return [path];
  });
}

/** A scenario is played by the test file of the same name. */
function shownAs(file: string): string {
  return file.replace(/^test\/matrix\/scenarios\/(.*)\.ts$/, 'test/matrix/$1.test.ts');
}
