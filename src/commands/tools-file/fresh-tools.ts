import { existsSync, realpathSync } from 'node:fs';
import { createRequire, register } from 'node:module';
import { dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { packagePath } from '../own-package.js';
import type { FoundServer } from './exported-servers.js';
import type { FreshSettings } from './fresh-hooks.js';
import { loadToolsFile } from './load-tools-file.js';

/** CommonJS has one place for all modules, by file. */
const { cache: required } = createRequire(import.meta.url);

/** A tools file that can be loaded again, with what it imports of its own project. */
export class FreshTools {
  /** The file and what it imports, as far as is known. */
  readonly files: Set<string>;
  readonly #given: string;
  readonly #project: string;
  #port: MessagePort | undefined;
  #loads = 0;

  constructor(given: string) {
    this.#given = given;
    const file = resolve(given);
    this.files = new Set([existsSync(file) ? realpathSync(file) : file]);
    this.#project = projectOf(dirname(file)) + sep;
  }

  /** Everything of the project is read again. Rejects with an `OptionError` that says what is wrong. */
  async load(): Promise<FoundServer[]> {
    this.#port ??= this.#hook();
    this.#forgetRequired();
    this.#loads += 1;
    const files = (): Set<string> => {
      this.#collect();
      return this.files;
    };
    try {
      return await loadToolsFile(this.#given, 'file', { number: this.#loads, files });
    } finally {
      this.#collect();
    }
  }

  #hook(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    const project = pathToFileURL(this.#project).href;
    const data: FreshSettings = { project, port: port2 };
    const hooks = pathToFileURL(packagePath('dist', 'commands', 'tools-file', 'fresh-hooks.js'));
    register(hooks, { data, transferList: [port2] });
    port1.unref();
    return port1;
  }

  #collect(): void {
    for (const file of this.#required()) this.files.add(file);
    for (;;) {
      const received = this.#port && receiveMessageOnPort(this.#port);
      if (received === undefined) return;
      this.files.add(fileURLToPath(received.message as string));
    }
  }

  #forgetRequired(): void {
    for (const file of this.#required()) delete required[file];
  }

  #required(): string[] {
    const isOwn = (file: string): boolean =>
      file.startsWith(this.#project) && !file.includes(`${sep}node_modules${sep}`);
    return Object.keys(required).filter(isOwn);
  }
}

/** The nearest folder with a package.json; else that of the file itself. */
function projectOf(folder: string): string {
  const start = existsSync(folder) ? realpathSync(folder) : folder;
  for (let at = start; ; at = dirname(at)) {
    if (existsSync(join(at, 'package.json'))) return at;
    if (dirname(at) === at) return start;
  }
}
