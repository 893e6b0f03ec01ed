// Node's `process`, which other platforms lack or have only in part. Node's modules are looked up at run
// time, so that no import names them.

import type * as async_hooks from 'node:async_hooks';
import type * as diagnostics_channel from 'node:diagnostics_channel';
import type * as fs from 'node:fs';
import type * as path from 'node:path';
import type * as util from 'node:util';

const host: Partial<NodeJS.Process> | undefined = typeof process === 'object' ? process : undefined;

/** Empty on platforms without one, and where this program may not read it. */
export function hostEnvironment(): NodeJS.ProcessEnv {
  const env = host?.env ?? {};
  if (!('Deno' in globalThis)) return env;
  // Deno throws at each name that the program was not started with a permission for.
  try {
    return { ...env };
  } catch {
    return {};
  }
}

export function hostVariable(name: string): string | undefined {
  try {
    return host?.env?.[name];
  } catch {
    return undefined;
  }
}

/** `/` on platforms without directories. */
export function hostDirectory(): string {
  return host?.cwd?.() ?? '/';
}

interface HostModules {
  'node:async_hooks': typeof async_hooks;
  'node:diagnostics_channel': typeof diagnostics_channel;
  'node:fs': typeof fs;
  'node:path': typeof path;
  'node:util': typeof util;
}

/** A Node module, for code that also works without it. */
export function hostModule<Name extends keyof HostModules>(name: Name): HostModules[Name] | undefined {
  return host?.getBuiltinModule?.(name) as HostModules[Name] | undefined;
}

export function emitWarning(text: string, options: { type?: string; code?: string } = {}): void {
  if (host?.emitWarning !== undefined) host.emitWarning(text, options);
  else console.warn(`${options.type ?? 'Warning'}: ${text}`);
}
