/** Servers of all kinds that can be made to suffer, for the chaos test. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { McpServerConfigForProcessTransport } from '../../../src/mcp/types.js';
import { alive } from '../../support/real-cli.js';
import { type Behaviour, UnrulyServer } from '../../support/unruly-server.js';

export type Kind = 'http' | 'sse' | 'stdio' | 'sdk';

export interface ShakyServer {
  readonly name: string;
  readonly kind: Kind;
  readonly config: McpServerConfigForProcessTransport;
  /** The ids of the calls that it has carried out. */
  done(): string[];
  pids(): number[];
  /** Something happens to it; resolves when it is over. */
  suffer(random: () => number): Promise<void>;
  /** Whatever happened, it is well now. */
  recover(): Promise<void>;
  end(): Promise<void>;
}

export async function makeServers(kinds: Record<Kind, number>, folder: string): Promise<ShakyServer[]> {
  const make: Record<Kind, (name: string) => Promise<ShakyServer>> = {
    http: async (name) => new RemoteServer(name, 'http', await UnrulyServer.start()),
    sse: async (name) => new RemoteServer(name, 'sse', await UnrulyServer.start()),
    stdio: async (name) => new ProgramServer(name, join(folder, name)),
    sdk: async (name) => new InProcessServer(name),
  };
  const names = (Object.keys(kinds) as Kind[]).flatMap((kind) =>
    Array.from({ length: kinds[kind] }, (_, index) => make[kind](`${kind}${index}`)),
  );
  return Promise.all(names);
}

class RemoteServer implements ShakyServer {
  readonly name: string;
  readonly kind: 'http' | 'sse';
  readonly #server: UnrulyServer;
  #isBusy = false;

  constructor(name: string, kind: 'http' | 'sse', server: UnrulyServer) {
    this.name = name;
    this.kind = kind;
    this.#server = server;
  }

  get config(): McpServerConfigForProcessTransport {
    return { type: this.kind, url: this.kind === 'http' ? this.#server.url : this.#server.sseUrl };
  }

  done(): string[] {
    return this.#server.done;
  }

  pids(): number[] {
    return [];
  }

  async suffer(random: () => number): Promise<void> {
    // One thing at a time: a server that is being started cannot be killed.
    if (this.#isBusy) return;
    this.#isBusy = true;
    const server = this.#server;
    const forAWhile = async (behaviour: Partial<Behaviour>): Promise<void> => {
      server.behave({ answersInStream: random() < 0.5, ...behaviour });
      await wait(100 + random() * 400);
      server.behave({ answersInStream: random() < 0.5 });
    };
    const events: (() => Promise<void>)[] = [
      () => server.restart(),
      async () => {
        await server.kill();
        await wait(random() * 600);
        await server.open();
      },
      async () => server.forgetSessions(),
      () => forAWhile({ hangs: true }),
      () => forAWhile({ drops: 'before' }),
      () => forAWhile({ drops: 'after' }),
      () => forAWhile({ slowMs: 50 }),
      () => forAWhile({ notFound: 3 }),
      () => forAWhile({ unknownSessionStatus: 400 }).then(() => server.forgetSessions()),
    ];
    await events[Math.floor(random() * events.length)]?.();
    this.#isBusy = false;
  }

  async recover(): Promise<void> {
    this.#server.behave({});
  }

  end(): Promise<void> {
    return this.#server.kill();
  }
}

const program = fileURLToPath(new URL('../../fixtures/mcp/family-server.mjs', import.meta.url));

class ProgramServer implements ShakyServer {
  readonly name: string;
  readonly kind = 'stdio';
  readonly config: McpServerConfigForProcessTransport;
  readonly #journal: string;

  constructor(name: string, journal: string) {
    this.name = name;
    this.#journal = journal;
    this.config = { command: process.execPath, args: [program, journal] };
  }

  done(): string[] {
    return this.#lines('do');
  }

  pids(): number[] {
    return this.#lines('start').map(Number);
  }

  async suffer(random: () => number): Promise<void> {
    const pid = this.pids().filter(alive).at(-1);
    if (pid === undefined) return;
    if (random() < 0.6) return signal(pid, 'SIGKILL');
    signal(pid, 'SIGSTOP');
    await wait(100 + random() * 500);
    signal(pid, 'SIGCONT');
  }

  async recover(): Promise<void> {
    for (const pid of this.pids().filter(alive)) signal(pid, 'SIGCONT');
  }

  async end(): Promise<void> {}

  #lines(word: string): string[] {
    const lines = readFileSync(this.#journal, 'utf8').split('\n');
    return lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has just ended by itself.
  }
}

type Message = { id?: number; method: string; params?: { arguments?: { id: string; ms?: number } } };

/** A server in the host's process, which may fail to answer, and answer late. */
export class InProcessServer implements ShakyServer {
  readonly name: string;
  readonly kind = 'sdk';
  readonly config: McpServerConfigForProcessTransport;
  readonly #done: string[] = [];
  #mood: 'well' | 'refuses' | 'hangs' = 'well';

  constructor(name: string) {
    this.name = name;
    this.config = { type: 'sdk', name };
  }

  /** The host's answer to `mcp_message`. */
  async answer(fields: Record<string, unknown>): Promise<object> {
    const { id, method, params } = fields.message as Message;
    if (this.#mood === 'refuses') throw new Error(`SDK MCP server not found: ${this.name}`);
    if (this.#mood === 'hangs' && id !== undefined) return new Promise(() => {});
    const answer = (result: object) => ({ mcp_response: { jsonrpc: '2.0', id, result } });
    if (method === 'initialize') {
      const serverInfo = { name: this.name, version: '1.0.0' };
      return answer({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo });
    }
    if (method === 'tools/list') return answer({ tools: [{ name: 'do', inputSchema: { type: 'object' } }] });
    if (method !== 'tools/call') return {};
    const { id: call = '', ms = 0 } = params?.arguments ?? {};
    this.#done.push(call);
    if (ms > 0) await wait(ms);
    return answer({ content: [{ type: 'text', text: call }] });
  }

  done(): string[] {
    return this.#done;
  }

  pids(): number[] {
    return [];
  }

  async suffer(random: () => number): Promise<void> {
    this.#mood = random() < 0.5 ? 'refuses' : 'hangs';
    await wait(50 + random() * 200);
    this.#mood = 'well';
  }

  async recover(): Promise<void> {
    this.#mood = 'well';
  }

  async end(): Promise<void> {}
}
