/** An agent for `tenon run`: the real CLI or the embedded runtime, both with a scripted Messages API. */
import { fileURLToPath } from 'node:url';
import { type Script, type ScriptedMessagesApi, scriptedMessagesApi } from '../../../src/testing/index.js';
import { cliPath, type Sandbox, sandbox } from '../../support/real-cli.js';

/** A file of tools: add, divide, slow, loud. */
export const toolsFile: string = fileURLToPath(new URL('./tools.mjs', import.meta.url));

export const RUNTIMES = ['cli', 'embedded'] as const;

export interface Agent extends AsyncDisposable {
  box: Sandbox;
  api: ScriptedMessagesApi;
  /** For the command: everything that it needs, and nothing of this machine's. */
  env: Record<string, string>;
  cwd: string;
}

export async function agent(script: Script, extra: Record<string, string> = {}): Promise<Agent> {
  const box = sandbox();
  const api = await scriptedMessagesApi(script);
  return {
    box,
    api,
    env: box.env(api, { CLAUDE_CODE_EXECUTABLE: cliPath, ...extra }),
    cwd: box.cwd,
    [Symbol.asyncDispose]: async () => {
      await api.close();
      await box[Symbol.asyncDispose]();
    },
  };
}
