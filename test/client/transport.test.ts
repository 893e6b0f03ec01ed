/** `transport`: the agent is somewhere else, and the way to it is the user's own (R11). Here: a `tenon-runtime` behind a socket. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type AgentStart, createSdkMcpServer, type Options, query, tool } from '../../src/index.js';
import { type FrameProcess, ProcessTransport } from '../../src/protocol/index.js';
import { InMemorySessionStore } from '../../src/runtime/index.js';
import { type Script, scriptedMessagesApi, text, toolUse } from '../../src/testing/index.js';
import { collect, sandbox } from '../support/real-cli.js';

const program = fileURLToPath(new URL('../../dist/runtime/bin.js', import.meta.url));

interface Order {
  args: string[];
  env: Record<string, string | undefined>;
  cwd: string;
}

/** The other machine: starts an agent for each connection, as its first line asks for. */
async function agentMachine() {
  const orders: Order[] = [];
  const stderr: string[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.once('data', (chunk: Buffer) => {
      const end = chunk.indexOf('\n');
      const order: Order = JSON.parse(chunk.subarray(0, end).toString());
      orders.push(order);
      socket.pause();
      socket.unshift(chunk.subarray(end + 1));
      const agent = spawn(process.execPath, [program, ...order.args], { cwd: order.cwd, env: order.env });
      socket.pipe(agent.stdin);
      agent.stdout.pipe(socket);
      agent.stderr.on('data', (said) => stderr.push(String(said)));
      socket.once('close', () => agent.kill());
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { orders, stderr, port, [Symbol.asyncDispose]: async () => void server.close() };
}

/** The user's own way there. */
function overSocket(port: number): (start: AgentStart) => ProcessTransport {
  return (start) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    socket.write(`${JSON.stringify({ ...start.commandLine(), cwd: start.cwd })}\n`);
    return new ProcessTransport(asProcess(socket));
  };
}

function asProcess(socket: Socket): FrameProcess {
  return {
    stdin: socket,
    stdout: socket,
    pid: undefined,
    kill: () => socket.destroy().destroyed,
    once: (event: 'exit' | 'error', listener: (...details: never[]) => void) =>
      event === 'error'
        ? socket.once('error', listener as never)
        : // The agent says no more, or nobody reaches it any more.
          socket.once('end', listener as () => void).once('close', listener as () => void),
  } as FrameProcess;
}

async function elsewhere(script: Script, more: Options = {}) {
  await using box = sandbox();
  await using api = await scriptedMessagesApi(script);
  await using machine = await agentMachine();
  const options = { transport: overSocket(machine.port), cwd: box.cwd, env: box.env(api), ...more };
  const { messages, error } = await collect(query({ prompt: 'Go.', options }));
  api.assertDone();
  return { messages, error, orders: machine.orders, stderr: machine.stderr.join('') };
}

describe('an agent behind a transport of the user', () => {
  it('answers, and calls the tools that live here', async () => {
    const handled: unknown[] = [];
    const add = tool('add', 'Adds', { type: 'object' } as never, (input: unknown) => {
      handled.push(input);
      return '42';
    });
    const { messages, error } = await elsewhere([toolUse('mcp__calc__add', { a: 1 }), text('It is 42.')], {
      mcpServers: { calc: createSdkMcpServer({ name: 'calc', tools: [add] }) },
      allowedTools: ['mcp__calc__*'],
      model: 'other',
    });
    expect(error).toBeUndefined();
    expect(handled).toEqual([{ a: 1 }]);
    expect(messages.at(-1)).toMatchObject({ type: 'result', subtype: 'success', result: 'It is 42.' });
  });

  it('is started with the plan as arguments, in which nothing is secret', async () => {
    const secret = 'SECRET-of-a-server';
    const { orders } = await elsewhere([text('Hello.')], {
      model: 'other',
      mcpServers: { s: { command: 'no-such-program', env: { TOKEN: secret } } },
    });
    expect(orders[0]?.args).toContain('--model=other');
    expect(orders[0]?.args.join(' ')).not.toContain(secret);
    expect(Object.values(orders[0]?.env ?? {})).toContain(secret);
  });

  it('keeps its conversation in the store of the host', async () => {
    const sessionStore = new InMemorySessionStore();
    const { messages, orders } = await elsewhere([text('Hello.')], { sessionStore });
    expect(orders[0]?.args).toContain('--session-mirror');
    expect(messages.at(-1)).toMatchObject({ type: 'result', result: 'Hello.' });
    expect(sessionStore.size).toBe(1);
  });

  it.each<[string, Options, string]>([
    [
      'as a flag',
      { permissionPromptToolName: 'mcp__desk__ask' },
      'cannot honour the option `permissionPromptToolName`',
    ],
    [
      'in `initialize`',
      { agents: { a: { description: 'd', prompt: 'p', mcpServers: [{ own: { command: 'x' } }] } } },
      'cannot honour the option `agents`',
    ],
  ])('refuses what it cannot honour, told %s', async (_, options, reason) => {
    const { error, messages, stderr } = await elsewhere([], options);
    expect(messages).toEqual([]);
    expect(error).toBeInstanceOf(Error);
    expect(stderr).toContain(reason);
  });

  it('names what it ignores, and works on', async () => {
    const { error, stderr } = await elsewhere([text('Hello.')], { title: 'Mine', debugFile: '/dev/null' });
    expect(error).toBeUndefined();
    expect(stderr).toContain('warning: The embedded runtime ignores the option `title`');
    expect(stderr).toContain('warning: The embedded runtime ignores the option `debugFile`');
  });
});

describe('a transport', () => {
  const refusal = (options: Options): Error => {
    try {
      void query({ prompt: 'Go.', options }).close();
    } catch (error) {
      return error as Error;
    }
    throw new Error('nothing was thrown');
  };

  it('and a runtime are two ways to the agent, and one is enough', () => {
    const open = (): never => {
      throw new Error('it was opened');
    };
    expect(refusal({ transport: open, runtime: { open } })).toMatchObject({
      option: 'transport',
      message: expect.stringContaining('`runtime` or `transport`, not both'),
    });
  });

  it('that throws ends the query with its error', async () => {
    const transport = (): never => {
      throw new Error('no way there');
    };
    const { error } = await collect(query({ prompt: 'Go.', options: { transport } }));
    expect((error as Error).message).toContain('no way there');
  });

  it('makes options about a process of this machine an idle word, and says so', async () => {
    const heard: string[] = [];
    const transport = (): never => {
      throw new Error('no way there');
    };
    const options = { transport, executable: 'bun' as const, stderr: (said: string) => heard.push(said) };
    await collect(query({ prompt: 'Go.', options }));
    expect(heard).toEqual([
      'tenon: The option `executable` has no effect: this side starts no process of the Claude Code CLI.\n',
    ]);
  });
});
