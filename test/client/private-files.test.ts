/** The private files of a running query (pain 44): there for the CLI to read, gone as soon as it has, or has failed. */
import { existsSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type DebugEvent, type Options, type ProcessError, query, type SDKMessage } from '../../src/index.js';
import { collect, sandbox } from '../support/real-cli.js';

const recorder = fileURLToPath(new URL('../fixtures/launch-recorder.mjs', import.meta.url));

interface Report {
  argv: string[];
  files: { path: string; mode: string; directoryMode: string; content: unknown }[];
}

const SECRET = 'SECRET-of-the-server';
const mcpServers = {
  files: { command: 'node', args: ['server.js'], env: { TOKEN: SECRET } },
  remote: { type: 'http' as const, url: 'http://127.0.0.1:9/mcp', headers: { Authorization: SECRET } },
};

const reportIn = (messages: readonly SDKMessage[]) => messages[0] as unknown as Report;

function setUp() {
  const box = sandbox();
  const events: DebugEvent[] = [];
  const options: Options = {
    pathToClaudeCodeExecutable: recorder,
    cwd: box.cwd,
    env: box.env(),
    mcpServers,
    onDebug: (event) => events.push(event),
  };
  return { box, options, events };
}

describe('the private file', () => {
  it('can be read by this user only, and by nobody once initialize is answered', async () => {
    const { box, options, events } = setUp();
    await using _box = box;
    let letGo = () => {};
    // Input that stays open keeps the CLI running.
    async function* input() {
      await new Promise<void>((resolve) => {
        letGo = resolve;
      });
    }
    const running = query({ prompt: input(), options });
    const { value } = await running.next();
    const { argv, files } = value as unknown as Report;
    expect(files).toMatchObject([{ mode: '600', directoryMode: '700', content: { mcpServers } }]);
    await running.initializationResult();
    expect(existsSync(dirname(files[0]!.path))).toBe(false);
    letGo();
    await collect(running);
    expect(JSON.stringify(argv)).not.toContain(SECRET);
    expect(JSON.stringify(events)).not.toContain(SECRET);
  });

  it('is gone when the CLI failed, and the error does not tell', async () => {
    const { box, options, events } = setUp();
    await using _box = box;
    const env = { ...options.env, RECORDER_FAILS: '1' };
    const { messages, error } = await collect(query({ prompt: 'hi', options: { ...options, env } }));
    const { files } = reportIn(messages);
    expect(files).toHaveLength(1);
    expect(existsSync(dirname(files[0]!.path))).toBe(false);
    const { code, message, argv, stderrTail } = error as ProcessError;
    expect(code).toBe('EXITED');
    expect(argv).toContain('--mcp-config');
    expect(JSON.stringify([message, argv, stderrTail, events])).not.toContain(SECRET);
  });

  it.each<[string, Options, string]>([
    ['cannot be started', { executable: 'no-such-interpreter' as 'node' }, 'INTERPRETER_NOT_FOUND'],
    ['is not there', { pathToClaudeCodeExecutable: '/no/such/cli.js' }, 'CLI_NOT_FOUND'],
  ])('leaves nothing behind when the CLI %s', async (_, bad, code) => {
    const { box, options } = setUp();
    await using _box = box;
    // Its own folder for temporary files shows whether anything is left there.
    const before = process.env.TMPDIR;
    process.env.TMPDIR = box.home;
    try {
      const { error } = await collect(query({ prompt: 'hi', options: { ...options, ...bad } }));
      expect(error).toMatchObject({ code });
    } finally {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    }
    expect(readdirSync(box.home)).toEqual([]);
  });

  it('is gone after close() and after an abort', async () => {
    for (const stop of ['close', 'abort'] as const) {
      const { box, options } = setUp();
      await using _box = box;
      const abortController = new AbortController();
      const running = query({ prompt: 'hi', options: { ...options, abortController } });
      const { value } = await running.next();
      const { files } = value as unknown as Report;
      if (stop === 'close') await running.close();
      else abortController.abort();
      await collect(running);
      await running.exited;
      expect(existsSync(dirname(files[0]!.path))).toBe(false);
    }
  });
});
