/** The real CLI with a scripted Messages API behind it, in a sandbox of its own. */
import type { Options } from '../../src/index.js';
import { type Script, type ScriptedMessagesApi, scriptedMessagesApi } from '../../src/testing/index.js';
import { cliPath, type Sandbox, sandbox } from './real-cli.js';

export interface ScriptedCli extends AsyncDisposable {
  readonly box: Sandbox;
  readonly api: ScriptedMessagesApi;
  /** Options of a query in the sandbox. Its environment is complete; variables of `more` are added. */
  options(more?: Options): Options;
}

export async function scriptedCli(script: Script, box: Sandbox = sandbox()): Promise<ScriptedCli> {
  const api = await scriptedMessagesApi(script);
  return {
    box,
    api,
    options: ({ env, ...more } = {}) => ({
      pathToClaudeCodeExecutable: cliPath,
      cwd: box.cwd,
      ...more,
      env: { ...box.env(api), ...env },
    }),
    [Symbol.asyncDispose]: async () => {
      await api[Symbol.asyncDispose]();
      await box[Symbol.asyncDispose]();
    },
  };
}
