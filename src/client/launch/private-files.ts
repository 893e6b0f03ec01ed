import {
  copyFileSync,
  type Dirent,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import type { Options } from '../../options/options.js';
import { clock } from '../../protocol/base/clock.js';
import { configDirectory, stateFile } from '../../protocol/base/user-directories.js';
import {
  makePrivateDirectory,
  removePrivateDirectory,
} from '../../protocol/transport/process/private-directory.js';

/**
 * Files that only this user can read, for what must not appear on a command line. Deleted by `remove`, and
 * when the host dies.
 */
export class PrivateFiles {
  #directory: string | undefined;

  write(name: string, content: string): string {
    this.#directory ??= makePrivateDirectory();
    const path = join(this.#directory, name);
    writeFileSync(path, content, { mode: 0o600, flag: 'wx' });
    return path;
  }

  remove(): void {
    if (this.#directory === undefined) return;
    const directory = this.#directory;
    this.#directory = undefined;
    removePrivateDirectory(directory);
  }
}

/** Files that the CLI reads and occasionally rewrites: each conversation gets a copy. */
const COPIED = ['settings.json', 'CLAUDE.md', 'keybindings.json', 'mcp.json'];
/** Directories that the CLI only reads. */
const LINKED = ['agents', 'commands', 'skills', 'output-styles', 'rules'];
/**
 * Conversations, one file each: stored where they would be without isolation, so that they can be resumed.
 */
const CONVERSATIONS = 'projects';

const CREDENTIALS = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'];

/**
 * A configuration directory for one CLI. Only this user can read it, and it is deleted by `remove`, or when
 * the host dies. With `hermetic` it is empty; with `isolation: 'session'` it holds the user's settings. See
 * docs/decisions/0010-private-configuration.md.
 */
export class PrivateConfig {
  readonly #isHermetic: boolean;
  readonly #isWanted: boolean;
  #directory: string | undefined;

  constructor({ hermetic, isolation }: Options) {
    this.#isHermetic = hermetic === true;
    this.#isWanted = this.#isHermetic || isolation === 'session';
  }

  /** Creates the directory and points the CLI's environment to it. */
  applyTo(env: NodeJS.ProcessEnv): void {
    if (!this.#isWanted) return;
    this.#directory = makePrivateDirectory();
    const directory = join(this.#directory, 'config');
    mkdirSync(directory, { mode: 0o700 });
    // The CLI writes logs of MCP servers to the user's cache.
    if (this.#isHermetic) env.XDG_CACHE_HOME = join(directory, 'cache');
    else carryOver(env, directory);
    env.CLAUDE_CONFIG_DIR = directory;
  }

  remove(): void {
    const directory = this.#directory;
    if (directory === undefined) return;
    this.#directory = undefined;
    removePrivateDirectory(directory);
  }
}

function carryOver(env: NodeJS.ProcessEnv, to: string): void {
  const from = configDirectory(env);
  copy(stateFile(env), to);
  for (const name of COPIED) copy(join(from, name), to);
  const conversations = join(from, CONVERSATIONS);
  mkdirSync(conversations, { recursive: true, mode: 0o700 });
  symlinkSync(conversations, join(to, CONVERSATIONS));
  for (const { name } of entriesOf(from))
    if (LINKED.includes(name)) symlinkSync(join(from, name), join(to, name));
  carryPlugins(join(from, 'plugins'), join(to, 'plugins'));
  const token = accessToken(from);
  // In the environment, not in a file: a CLI that renews its login would end the login of all others.
  if (token !== undefined && !CREDENTIALS.some((name) => env[name])) env.CLAUDE_CODE_OAUTH_TOKEN = token;
}

/**
 * Installed plugins are large and only read; the lists of them are small and rewritten. `store` is the
 * CLI's own bookkeeping.
 */
function carryPlugins(from: string, to: string): void {
  const entries = entriesOf(from).filter(({ name }) => name !== 'store');
  if (entries.length > 0) mkdirSync(to, { mode: 0o700 });
  for (const entry of entries) {
    if (entry.isDirectory()) symlinkSync(join(from, entry.name), join(to, entry.name));
    else copy(join(from, entry.name), to);
  }
}

function copy(file: string, to: string): void {
  try {
    copyFileSync(file, join(to, basename(file)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** The token of a login with `claude /login`, while it is valid. */
function accessToken(configDir: string): string | undefined {
  try {
    const { claudeAiOauth } = JSON.parse(readFileSync(join(configDir, '.credentials.json'), 'utf8'));
    const { accessToken: token, expiresAt } = claudeAiOauth as { accessToken?: unknown; expiresAt?: unknown };
    if (typeof expiresAt === 'number' && expiresAt < clock.now()) return undefined;
    return typeof token === 'string' ? token : undefined;
  } catch {
    return undefined;
  }
}
