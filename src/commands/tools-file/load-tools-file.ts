import { existsSync, statSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { OptionError, TenonError } from '../../index.js';
import { messageOf } from '../../protocol/base/errors.js';
import { type FoundServer, serversIn } from './exported-servers.js';
import { marked, unmarked } from './fresh-mark.js';
import { syntaxErrorIn } from './syntax-error.js';
import { prepareTypeScript } from './typescript.js';

const SCRIPT = new Set(['.js', '.mjs', '.cjs']);
const TYPESCRIPT = new Set(['.ts', '.mts', '.cts']);

/** One of several loadings of a file; see `FreshTools`. */
export interface Loading {
  readonly number: number;
  /** What the file imports, as far as is known. */
  files(): Iterable<string>;
}

/** Imports a tools file and returns its servers. `option` is the option that named the file, for errors. */
export async function loadToolsFile(
  given: string,
  option: string,
  loading?: Loading,
): Promise<FoundServer[]> {
  const file = resolve(given);
  checkFile(given, file, option);
  if (TYPESCRIPT.has(extname(file))) prepareTypeScript(file, given, option);
  let module: Record<string, unknown>;
  try {
    const url = pathToFileURL(file).href;
    module = await import(loading === undefined ? url : marked(url, loading.number));
  } catch (error) {
    const place = await syntaxErrorIn(error, loading?.files() ?? [file]);
    if (place === undefined) throw importFailure(error, given, option);
    throw new OptionError(option, given, `${option} "${given}" could not be loaded: ${place}`);
  }
  return serversIn(module, given, option);
}

function checkFile(given: string, file: string, option: string): void {
  if (!existsSync(file)) {
    throw new OptionError(option, given, `${option} "${given}": there is no such file (${file}).`);
  }
  if (statSync(file).isDirectory()) {
    throw new OptionError(option, given, `${option} "${given}" is a folder; name a file in it.`);
  }
  if (SCRIPT.has(extname(file)) || TYPESCRIPT.has(extname(file))) return;
  throw new OptionError(
    option,
    given,
    `${option} "${given}": a tools file must be a JavaScript or TypeScript module (.js, .mjs, .ts, .mts).`,
  );
}

/** Shows an error in the file with its location, and one with a known remedy with the remedy. */
function importFailure(error: unknown, given: string, option: string): unknown {
  if (TenonError.is(error)) {
    return new OptionError(option, given, `${option} "${given}": ${error.message}`);
  }
  const { code, url } = error as { code?: string; url?: string };
  if (code === 'ERR_MODULE_NOT_FOUND') return missingModule(error as Error, url, given, option);
  const place = error instanceof Error ? ownStack(error) : messageOf(error);
  return new OptionError(option, given, `${option} "${given}" could not be loaded: ${unmarked(place)}`);
}

/** Where it happened, without the inside of Node and what is ours. */
function ownStack({ stack, message }: Error): string {
  const [own = message] = (stack ?? message).split(/\n +at async loadToolsFile /);
  return own.replaceAll(/\n +at [^\n]*\(?node:internal[^\n]*/g, '');
}

function missingModule(error: Error, url: string | undefined, given: string, option: string): OptionError {
  const name = /Cannot find package '([^']+)'/.exec(error.message)?.[1];
  const remedy =
    name !== undefined
      ? `Install it in the folder of the file: npm install ${name}`
      : url?.endsWith('.js') && existsSync(new URL(url.replace(/js$/, 'ts')))
        ? 'There is a .ts file of that name: Node does not rewrite TypeScript imports, so the import must say ".ts".'
        : 'Correct the import, or add the file.';
  return new OptionError(option, given, `${option} "${given}": ${unmarked(error.message)}. ${remedy}`);
}
