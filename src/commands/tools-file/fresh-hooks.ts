// Runs in Node's thread for module hooks: what a tools file imports of its own project is imported anew with it.

import { readFile } from 'node:fs/promises';
import type { InitializeHook, LoadHook, ResolveHook } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { MessagePort } from 'node:worker_threads';
import { loadOf, marked } from './fresh-mark.js';

export interface FreshSettings {
  /** The folder of the project, as a URL that ends in a slash. */
  readonly project: string;
  /** Is told of every file of the project that is imported. */
  readonly port: MessagePort;
}

let settings: FreshSettings | undefined;

export const initialize: InitializeHook<FreshSettings> = (given) => {
  settings = given;
};

export const resolve: ResolveHook = async (specifier, context, next) => {
  const resolved = await next(specifier, context);
  const load = loadOf(context.parentURL);
  if (load === undefined || settings === undefined || !isOwn(resolved.url, settings.project)) return resolved;
  settings.port.postMessage(resolved.url);
  return { ...resolved, url: marked(resolved.url, load) };
};

/** With its source, what a CommonJS module requires comes by here, too. Without, Node knows it only by its file. */
export const load: LoadHook = async (url, context, next) => {
  const loaded = await next(url, context);
  if (loadOf(url) === undefined || loaded.format !== 'commonjs' || loaded.source != null) return loaded;
  return { ...loaded, source: await readFile(fileURLToPath(url)) };
};

/** Packages stay as they are: they do not change, and must exist once. */
function isOwn(url: string, project: string): boolean {
  return url.startsWith(project) && !url.includes('/node_modules/');
}
