/** `sessionStore` with `tenon-runtime` in the place of the CLI, driven by Tenon and by the official SDK (issue 6). */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { getSessionMessages, InMemorySessionStore } from '../../src/index.js';
import { scriptedMessagesApi, text } from '../../src/testing/index.js';
import { official, tenon } from '../matrix/support/cells.js';
import { cliPath, sandbox } from '../support/real-cli.js';

const program = fileURLToPath(new URL('../../dist/runtime/bin.js', import.meta.url));

describe.each([tenon, official])('driven by $name', (client) => {
  it('a conversation is copied into the store, and gone on with on another machine, also by the CLI', async () => {
    const { query } = (await client.load()) as typeof import('../../src/index.js');
    await using box = sandbox();
    await using api = await scriptedMessagesApi([text('One.'), text('Two.'), text('Three.')]);
    const sessionStore = new InMemorySessionStore();
    const ask = async (machine: string, prompt: string, more: object = {}) => {
      let id = '';
      const env = { ...box.env(api), CLAUDE_CONFIG_DIR: join(box.home, machine) };
      const base = {
        pathToClaudeCodeExecutable: program,
        executable: 'node' as const,
        cwd: box.cwd,
        env,
        sessionStore,
      };
      for await (const message of query({ prompt, options: { ...base, ...more } })) {
        expect(message.type).not.toBe('transcript_mirror');
        if (message.type === 'result') id = message.session_id;
      }
      return id;
    };
    const id = await ask('first', 'Say one');
    expect(await ask('second', 'Say two', { resume: id })).toBe(id);
    expect(await ask('third', 'Say three', { resume: id, pathToClaudeCodeExecutable: cliPath })).toBe(id);
    const words = JSON.stringify(api.requests.at(-1)?.body.messages);
    expect(words).toMatch(/Say one.*One\..*Say two.*Two\..*Say three/);
    expect(await getSessionMessages(id, { dir: box.cwd, sessionStore })).toHaveLength(6);
    api.assertDone();
  });
});
