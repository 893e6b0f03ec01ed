// Runs in Node's thread for module hooks and strips the types from TypeScript files as they are imported.

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { InitializeHook, LoadHook, ResolveHook } from 'node:module';
import * as nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Transpiler } from './typescript.js';

type Transpile = (source: string, file: string) => string | Promise<string>;

let transpile: Transpile = () => {
  throw new Error('The TypeScript hooks were not initialized.');
};

export const initialize: InitializeHook<Transpiler> = async (transpiler) => {
  transpile = await transpileBy(transpiler);
};

/** In TypeScript, `./other.js` means `./other.ts` if only that exists. */
export const resolve: ResolveHook = (specifier, context, next) => {
  const { parentURL } = context;
  const match = /^(\.{1,2}\/.*\.)([mc]?)js$/.exec(specifier);
  if (match !== null && parentURL !== undefined && isTypeScript(parentURL)) {
    const written = new URL(specifier, parentURL);
    const typeScriptFile = new URL(`${match[1]}${match[2]}ts`, parentURL);
    if (!existsSync(written) && existsSync(typeScriptFile)) return next(typeScriptFile.href, context);
  }
  return next(specifier, context);
};

export const load: LoadHook = async (url, context, next) => {
  if (!isTypeScript(url)) return next(url, context);
  const file = fileURLToPath(url);
  return {
    format: 'module',
    shortCircuit: true,
    source: await transpile(await readFile(file, 'utf8'), file),
  };
};

function isTypeScript(url: string): boolean {
  return url.startsWith('file:') && /\.[mc]?ts(?:\?|$)/.test(url) && !url.includes('/node_modules/');
}

interface Esbuild {
  transform(source: string, options: object): Promise<{ code: string }>;
}

interface TypeScript {
  transpileModule(source: string, options: object): { outputText: string };
}

async function transpileBy({ kind, url }: Transpiler): Promise<Transpile> {
  if (kind === 'node') {
    const { stripTypeScriptTypes } = nodeModule as { stripTypeScriptTypes?: (source: string) => string };
    return (source) => stripTypeScriptTypes?.(source) ?? source;
  }
  const imported = await import(url as string);
  const library = imported.default ?? imported;
  if (kind === 'esbuild') {
    return async (source, sourcefile) =>
      (
        await (library as Esbuild).transform(source, {
          loader: 'ts',
          format: 'esm',
          target: 'node20',
          sourcefile,
          sourcemap: 'inline',
        })
      ).code;
  }
  const compilerOptions = { module: 99, target: 9, inlineSourceMap: true, inlineSources: true };
  return (source, fileName) =>
    (library as TypeScript).transpileModule(source, { fileName, compilerOptions }).outputText;
}
