/** Which files of `src` run while something happens, counted by V8: the walks that ARCHITECTURE.md describes. */
import { EventEmitter, once } from 'node:events';
import { Session } from 'node:inspector/promises';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { createSdkMcpServer, createSession, type Options, query, tool } from '../../../src/index.js';
import { embedded } from '../../../src/runtime/index.js';
import { scriptedModel } from '../../../src/testing/index.js';

const source = fileURLToPath(new URL('../../../src/', import.meta.url));

const add = tool('add', 'Add two numbers', { a: z.number(), b: z.number() }, ({ a, b }) => a + b);
const calc = createSdkMcpServer({ name: 'calc', tools: [add] });
const options: Options = { mcpServers: { calc }, allowedTools: ['mcp__calc__*'] };

/** The files, relative to `src`, in which a function ran meanwhile. The test kit plays the model and is left out. */
async function filesOf(happening: () => Promise<unknown>): Promise<string[]> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await session.post('Profiler.takePreciseCoverage');
  await happening();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  session.disconnect();
  return result
    .filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
    .map(({ url }) => url.replace(/^file:\/\//, ''))
    .filter((path) => path.startsWith(source))
    .map((path) => path.slice(source.length))
    .filter((path) => !path.startsWith('testing/'))
    .sort();
}

/** An agent whose lines the test writes and reads. */
class HandPlayedAgent extends EventEmitter {
  readonly stdin = new PassThrough({ encoding: 'utf8' });
  readonly stdout = new PassThrough();
  readonly killed = false;
  readonly exitCode = null;
  #text = '';

  kill(): boolean {
    this.stdout.end();
    this.emit('exit', 0, null);
    return true;
  }

  /** The next line that the host writes and that `wanted` accepts. */
  async line(wanted: (line: Record<string, unknown>) => boolean): Promise<Record<string, unknown>> {
    for (;;) {
      const end = this.#text.indexOf('\n');
      if (end === -1) {
        const text: string | null = this.stdin.read();
        if (text === null) await once(this.stdin, 'readable');
        this.#text += text ?? '';
        continue;
      }
      const line = JSON.parse(this.#text.slice(0, end));
      this.#text = this.#text.slice(end + 1);
      if (wanted(line)) return line;
    }
  }

  write(frame: object): void {
    this.stdout.write(`${JSON.stringify(frame)}\n`);
  }
}

function ask(agent: HandPlayedAgent) {
  return query({
    prompt: 'What is 1 + 2?',
    options: { ...options, pathToClaudeCodeExecutable: 'claude', spawnClaudeCodeProcess: () => agent },
  });
}

const isPrompt = ({ type }: Record<string, unknown>) => type === 'user';
const isAnswer = ({ type }: Record<string, unknown>) => type === 'control_response';

/** From `query()` to the prompt on the agent's input. */
export async function startOfQuery(): Promise<string[]> {
  const first = new HandPlayedAgent();
  const warm = ask(first);
  await first.line(isPrompt);
  await warm.close();
  const agent = new HandPlayedAgent();
  let running: ReturnType<typeof ask> | undefined;
  const files = await filesOf(async () => {
    running = ask(agent);
    await agent.line(isPrompt);
  });
  await running?.close();
  return files;
}

/** From the line in which the agent calls a tool to the line with the answer. */
export async function toolCall(): Promise<string[]> {
  const agent = new HandPlayedAgent();
  const running = ask(agent);
  await agent.line(isPrompt);
  const call = async (id: number) => {
    const message = {
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'add', arguments: { a: 1, b: 2 } },
    };
    const request = { subtype: 'mcp_message', server_name: 'calc', message };
    agent.write({ type: 'control_request', request_id: `call-${id}`, request });
    await agent.line(isAnswer);
  };
  await call(1);
  const files = await filesOf(() => call(2));
  await running.close();
  return files;
}

/** From a prompt to its result, in the embedded runtime, with one call of an in-process tool. */
export async function embeddedTurn(): Promise<string[]> {
  const use = { toolUses: [{ name: 'mcp__calc__add', input: { a: 1, b: 2 } }] };
  const model = scriptedModel([use, 'Three.', use, 'Three.']);
  await using conversation = createSession({ ...options, runtime: embedded({ model }) });
  await conversation.ask('What is 1 + 2?');
  return await filesOf(() => conversation.ask('And again?'));
}
