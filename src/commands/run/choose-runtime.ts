import { join } from 'node:path';
import { versionOf } from '../../client/launch/cli-versions.js';
import { findClaudeCode, OptionError, type Options, ProcessError } from '../../index.js';
import { configDirectory } from '../../protocol/base/user-directories.js';

export const RUNTIMES = ['cli', 'embedded'] as const;

export interface ChosenRuntime {
  options: Pick<Options, 'runtime' | 'pathToClaudeCodeExecutable'>;
  /** What runs: `Claude Code CLI 2.1.325`. */
  name: string;
  /** Tells the person what runs, from where, and why. */
  announcement: string;
}

/**
 * The CLI if there is one, else the embedded runtime if a model can be reached; the choice is always shown.
 */
export async function chooseRuntime(
  given: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<ChosenRuntime> {
  if (given === 'embedded') return embeddedRuntime(env);
  const { path, source } = findClaudeCode({ env });
  if (path !== undefined) {
    const version = versionOf(path);
    const name = `Claude Code CLI${version === undefined ? '' : ` ${version}`}`;
    return {
      options: { pathToClaudeCodeExecutable: path },
      name,
      announcement: `${name} (${source}: ${path})`,
    };
  }
  if (given !== 'cli' && modelSource(env) !== undefined) {
    const chosen = await embeddedRuntime(env);
    return { ...chosen, announcement: `No Claude Code CLI was found. ${chosen.announcement}` };
  }
  throw new ProcessError(
    'CLI_NOT_FOUND',
    'no Claude Code CLI was found, and no agent can run here without it. Do one of the following:\n' +
      '  - install the CLI: npm install @anthropic-ai/claude-code\n' +
      '  - point to an installed one: CLAUDE_CODE_EXECUTABLE=/path/to/claude\n' +
      `  - run without it: ${modelSource(env) === undefined ? 'set ANTHROPIC_API_KEY and ' : ''}add --runtime embedded\n` +
      'tenon doctor shows where it was searched for.',
  );
}

async function embeddedRuntime(env: NodeJS.ProcessEnv): Promise<ChosenRuntime> {
  const source = modelSource(env);
  if (source === undefined) {
    throw new OptionError(
      '--runtime',
      'embedded',
      '--runtime embedded needs a model: set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN), or ANTHROPIC_BASE_URL for a server that needs no key.',
    );
  }
  const [{ embedded, fileSessionStore }, { anthropic }] = await Promise.all([
    import('../../runtime/index.js'),
    import('../../models/anthropic/anthropic.js'),
  ]);
  // The library insists on a key even for a server that needs none.
  const needsNoKey = !env.ANTHROPIC_API_KEY && !env.ANTHROPIC_AUTH_TOKEN;
  const model = anthropic(needsNoKey ? { apiKey: 'none' } : {});
  return {
    // Where the CLI keeps its conversations, so that either can go on with those of the other.
    options: {
      runtime: embedded({ model, sessionStore: fileSessionStore(join(configDirectory(env), 'projects')) }),
    },
    name: 'Embedded runtime',
    announcement: `Embedded runtime (${source})`,
  };
}

/** What says how to reach a model; undefined if nothing does. */
export function modelSource(env: NodeJS.ProcessEnv): string | undefined {
  // Only the origin: a URL may contain a password.
  const { ANTHROPIC_BASE_URL: url } = env;
  if (url) return `ANTHROPIC_BASE_URL ${URL.canParse(url) ? new URL(url).origin : url}`;
  return ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'].find((name) => env[name]);
}
