import * as nodeModule from 'node:module';
import { createRequire, register } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { OptionError } from '../../index.js';
import { packagePath } from '../own-package.js';

/** How types are stripped from a file, and the module that does it. */
export interface Transpiler {
  kind: 'esbuild' | 'typescript' | 'node';
  /** A URL; absent for Node's own function. */
  url?: string;
}

let isPrepared = false;

/**
 * Makes TypeScript files importable. Node 22.18 and newer read them natively. Before that, the project's
 * esbuild or TypeScript (up to 6) is used, or the function that Node has since 22.13; without any, the error
 * says what to do.
 */
export function prepareTypeScript(file: string, given: string, option: string): void {
  const { typescript: nativeSupport = false } = process.features as { typescript?: string | false };
  if (isPrepared || nativeSupport !== false) return;
  const transpiler = findTranspiler(file);
  if (transpiler === undefined) {
    throw new OptionError(
      option,
      given,
      `${option} "${given}": Node ${process.versions.node} cannot read TypeScript by itself. ` +
        'Install esbuild in the folder of the file (npm install --save-dev esbuild), use Node 22.18 or newer, ' +
        'or write the file in JavaScript (.js).',
    );
  }
  const hooks = packagePath('dist', 'commands', 'tools-file', 'typescript-hooks.js');
  register(pathToFileURL(hooks), { data: transpiler });
  isPrepared = true;
}

function findTranspiler(file: string): Transpiler | undefined {
  for (const base of [file, fileURLToPath(import.meta.url)]) {
    const require = createRequire(base);
    // tsx and older versions of vite bring an esbuild that may not be visible to the project itself.
    for (const via of [undefined, 'tsx', 'vite']) {
      const url = resolved(via === undefined ? require : requireOf(require, via), 'esbuild');
      if (url !== undefined) return { kind: 'esbuild', url };
    }
    const url = resolved(require, 'typescript');
    if (url !== undefined && hasTranspileModule(require)) return { kind: 'typescript', url };
  }
  return 'stripTypeScriptTypes' in nodeModule ? { kind: 'node' } : undefined;
}

function requireOf(require: NodeJS.Require, name: string): NodeJS.Require | undefined {
  try {
    return createRequire(require.resolve(`${name}/package.json`));
  } catch {
    return undefined;
  }
}

function resolved(require: NodeJS.Require | undefined, name: string): string | undefined {
  try {
    return require === undefined ? undefined : pathToFileURL(require.resolve(name)).href;
  } catch {
    return undefined;
  }
}

/** TypeScript 7 is a native program and has no such function. */
function hasTranspileModule(require: NodeJS.Require): boolean {
  try {
    const { version } = require('typescript/package.json') as { version: string };
    return Number.parseInt(version, 10) < 7;
  } catch {
    return false;
  }
}
