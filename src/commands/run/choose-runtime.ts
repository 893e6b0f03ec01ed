import { versionOf } from '../../client/launch/cli-version.js';
import { findClaudeCode, OptionError, type Options, ProcessError } from '../../index.js';

export const RUNTIMES = ['cli', 'embedded'] as const;

export interface ChosenRuntime {
  options: Pick<Options, 'runtime' | 'pathToClaudeCodeExecutable'>;
  /** For the person: what runs, from where, and why it and not the other. */
  announcement: string;
}

/** The CLI if there is one, else the embedded runtime if a model can be reached; the choice is always shown. */
export async function chooseRuntime(
  given: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<ChosenRuntime> {
  if (given === 'embedded') return embeddedRuntime(env);
  const { path, source } = findClaudeCode({ env });
  if (path !== undefined) {
    const version = versionOf(path);
    return {
      options: { pathToClaudeCodeExecutable: path },
      announcement: `Claude Code CLI${version === undefined ? '' : ` ${version}`} (${source}: ${path})`,
    };
  }
  if (given !== 'cli' && modelSource(env) !== undefined) {
    const chosen = await embeddedRuntime(env);
    return { ...chosen, announcement: `No Claude Code CLI was found. ${chosen.announcement}` };
  }
  throw new ProcessError(
    'CLI_NOT_FOUND',
    'no Claude Code CLI was found, and without it no agent can run here. Do one of these:\n' +
      '  - install the CLI: npm install @anthropic-ai/claude-code\n' +
      '  - name one that is installed: CLAUDE_CODE_EXECUTABLE=/path/to/claude\n' +
      `  - do without it: ${modelSource(env) === undefined ? 'set ANTHROPIC_API_KEY and ' : ''}add --runtime embedded\n` +
      'tenon doctor shows where it was looked for.',
  );
}

async function embeddedRuntime(env: NodeJS.ProcessEnv): Promise<ChosenRuntime> {
  const source = modelSource(env);
  if (source === undefined) {
    throw new OptionError(
      '--runtime',
      'embedded',
      '--runtime embedded needs a model: set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN), or ANTHROPIC_BASE_URL for a server that wants no key.',
    );
  }
  const [{ embedded }, { anthropic }] = await Promise.all([
    import('../../runtime/index.js'),
    import('../../runtime/model-anthropic/anthropic.js'),
  ]);
  // The library insists on a key, also for a server that does not.
  const needsNoKey = !env.ANTHROPIC_API_KEY && !env.ANTHROPIC_AUTH_TOKEN;
  const model = anthropic(needsNoKey ? { apiKey: 'none' } : {});
  return {
    options: { runtime: embedded({ model }) },
    announcement: `Embedded runtime (${source})`,
  };
}

function modelSource(env: NodeJS.ProcessEnv): string | undefined {
  // The origin only: a URL may have a password in it.
  const { ANTHROPIC_BASE_URL: url } = env;
  if (url) return `ANTHROPIC_BASE_URL ${URL.canParse(url) ? new URL(url).origin : url}`;
  return ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'].find((name) => env[name]);
}
