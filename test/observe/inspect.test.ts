/** A program that is not changed is recorded by NODE_OPTIONS="--import tenon/inspect" (R55, R56). */
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readTape, replayTape, scriptedMessagesApi, toolUse } from '../../src/testing/index.js';
import { ask } from '../support/back-ends.js';
import { cliPath, sandbox } from '../support/real-cli.js';

const inspect = new URL('../../dist/inspector/index.js', import.meta.url).href;
const dist = new URL('../../dist/', import.meta.url).href;

const PROGRAM = (runtime: string) => `
import { createSdkMcpServer, query, tool } from '${dist}index.js';
import { embedded } from '${dist}runtime/index.js';
import { anthropic } from '${dist}models/anthropic/anthropic.js';
const shop = createSdkMcpServer({ name: 'shop', tools: [tool('stock', 'How many.', {}, async () => 'eight')] });
for (const prompt of ['One?', 'Two?']) {
  const options = { ...${runtime}, mcpServers: { shop }, allowedTools: ['mcp__shop__stock'] };
  for await (const message of query({ prompt, options })) if (message.type === 'result') console.log(message.result);
}
// In the middle of a write, perhaps.
process.exit(0);
`;

async function run(
  runtime: 'cli' | 'embedded',
  record: (cwd: string) => Record<string, string>,
  inspects = true,
) {
  const box = sandbox();
  const answer = () => [toolUse('mcp__shop__stock'), 'Eight.'];
  const api = await scriptedMessagesApi([...answer(), ...answer()]);
  const options =
    runtime === 'cli'
      ? `{ pathToClaudeCodeExecutable: ${JSON.stringify(cliPath)} }`
      : '{ runtime: embedded({ model: anthropic() }) }';
  const main = join(box.cwd, 'main.mjs');
  await writeFile(main, PROGRAM(options));
  await mkdir(join(box.cwd, 'tapes'));
  const env = box.env(api, {
    ...(inspects ? { NODE_OPTIONS: `--import ${inspect}` } : {}),
    ENABLE_TOOL_SEARCH: '0',
    ...record(box.cwd),
  });
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [main], { env, cwd: box.cwd });
  expect(stdout).toBe('Eight.\nEight.\n');
  return {
    box,
    stderr,
    [Symbol.asyncDispose]: async () => {
      await api.close();
      await box[Symbol.asyncDispose]();
    },
  };
}

describe.each(['cli', 'embedded'] as const)('an unchanged program on the runtime "%s"', (runtime) => {
  it('is recorded to a directory, a tape for each conversation, whole until its exit (R55, R56)', async () => {
    await using its = await run(runtime, (cwd) => ({ TENON_RECORD: join(cwd, 'tapes') }));
    expect(its.stderr).toBe('');
    const folder = join(its.box.cwd, 'tapes');
    const names = await readdir(folder);
    expect(names).toHaveLength(2);
    for (const name of names) {
      const tape = readTape(join(folder, name));
      expect(tape.head).toMatchObject({ backEnd: runtime, options: { mcpServers: ['shop'] } });
      expect(tape.end).toMatchObject({
        agent: { code: 0 },
        totals: { results: 1, requests: 2 },
      });
      const { messages } = await ask({ runtime: replayTape(tape, { onDifference: () => {} }) });
      expect(messages.at(-1)).toMatchObject({ result: 'Eight.' });
    }
  });
});

it('a file has the first conversation, and its numbered neighbours the others (R56)', async () => {
  await using its = await run('embedded', (cwd) => ({ TENON_RECORD: join(cwd, 'run.tape') }));
  const names = (await readdir(its.box.cwd)).filter((name) => name.endsWith('.tape'));
  expect(names.sort()).toEqual(['run-2.tape', 'run.tape']);
});

it('without TENON_RECORD it says in one line what to set, and changes nothing (R56)', async () => {
  await using its = await run('embedded', () => ({}));
  expect(its.stderr).toMatch(/^tenon\/inspect: nothing is recorded\. Set TENON_RECORD to [^\n]+\n$/);
});

it('a directory that is missing is said in one line for each conversation, and changes nothing (R56)', async () => {
  await using its = await run('embedded', (cwd) => ({ TENON_RECORD: join(cwd, 'no', 'run.tape') }));
  expect(its.stderr.match(/tenon\/inspect: The conversation is not recorded/g)).toHaveLength(2);
});

describe('an inspector that receives spans', () => {
  const receiver = async () => {
    const posts: { path: string; token: unknown; body: string }[] = [];
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      posts.push({ path: request.url ?? '', token: request.headers['x-tenon-token'], body });
      response.end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const variables = (cwd: string) => ({
      TENON_RECORD: join(cwd, 'tapes'),
      TENON_INSPECT_OTLP: `http://127.0.0.1:${port}`,
      TENON_INSPECT_OTLP_TOKEN: 'planted-token',
    });
    return { posts, variables, [Symbol.asyncDispose]: async () => void server.close() };
  };

  it('gets those of the CLI, with its token, which is in no tape (R55, inspector fact 4)', async () => {
    await using its = await receiver();
    await using ran = await run('cli', its.variables);
    expect(its.posts.map(({ path, token }) => `${path} ${token}`)).toContain('/v1/traces planted-token');
    expect(new Set(its.posts.map(({ path }) => path))).toEqual(new Set(['/v1/traces']));
    expect(its.posts.map(({ body }) => body).join()).toContain('claude_code.llm_request');
    const folder = join(ran.box.cwd, 'tapes');
    for (const name of await readdir(folder)) {
      expect(await readFile(join(folder, name), 'utf8')).not.toContain('planted-token');
    }
  });

  it.each<[string, Record<string, string>, boolean]>([
    ['that nobody inspects', {}, false],
    ['whose telemetry goes elsewhere', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }, true],
    ['whose user has decided about telemetry', { CLAUDE_CODE_ENABLE_TELEMETRY: '0' }, true],
  ])('gets none of a CLI %s (R55)', async (_, more, inspects) => {
    await using its = await receiver();
    await using _ran = await run('cli', (cwd) => ({ ...its.variables(cwd), ...more }), inspects);
    expect(its.posts).toEqual([]);
  });

  it('elsewhere than on this machine gets none, and the program says so (R55)', async () => {
    await using its = await receiver();
    const url = 'http://example.com:4318';
    await using ran = await run('cli', (cwd) => ({ ...its.variables(cwd), TENON_INSPECT_OTLP: url }));
    expect(ran.stderr).toContain(`TENON_INSPECT_OTLP is "${url}" and is not used`);
  });
});
