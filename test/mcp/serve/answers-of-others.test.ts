/**
 * One server, several clients: a question is answered by the client that was asked, and by nobody else (R9). Over real
 * HTTP through a proxy, and for a server object that conversations share.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { InProcessServers } from '../../../src/client/mcp/in-process-servers.js';
import { QueryHost } from '../../../src/client/mcp/query-host.js';
import {
  createSdkMcpServer,
  type McpServerInstance,
  proxyMcpServer,
  serveHttp,
  tool,
} from '../../../src/index.js';
import { Cancellation } from '../../../src/protocol/base/cancellation.js';
import { byHandServer } from '../../support/by-hand-server.js';
import { failOnTrouble } from '../../support/fake-cli.js';
import { foreignServers } from '../../support/foreign-servers.js';
import { HandServer } from '../../support/shared-server.js';

failOnTrouble();

const accept = 'application/json, text/event-stream';
const handshake = {
  protocolVersion: '2025-11-25',
  capabilities: { elicitation: {} },
  clientInfo: { name: 'raw', version: '1' },
};
const forged = { action: 'accept', content: { name: 'Mallory' } };
const honest = { action: 'accept', content: { name: 'Ada' } };

/** A session over bare HTTP. */
class Session {
  readonly #url: string;
  readonly #headers: Record<string, string>;

  private constructor(url: string, id: string) {
    this.#url = url;
    this.#headers = { 'mcp-session-id': id };
  }

  static async open(url: string): Promise<Session> {
    const response = await send(url, { id: 0, method: 'initialize', params: handshake });
    await response.text();
    return new Session(url, response.headers.get('mcp-session-id') ?? '');
  }

  post(message: object): Promise<Response> {
    return send(this.#url, message, this.#headers);
  }

  /** Calls `ask`, and resolves with the server's question once it is there. */
  async ask(): Promise<{ question: { id: unknown }; result(): Promise<string> }> {
    const response = await this.post({ id: 4, method: 'tools/call', params: { name: 'ask' } });
    const reader = (response.body as NonNullable<Response['body']>)
      .pipeThrough(new TextDecoderStream())
      .getReader();
    let heard = '';
    const find = (pattern: RegExp): string | undefined => pattern.exec(heard)?.[0];
    const until = async (pattern: RegExp): Promise<string> => {
      for (;;) {
        const found = find(pattern);
        if (found !== undefined) return found;
        const { value, done } = await reader.read();
        if (done) throw new Error(`The stream ended: ${heard}`);
        heard += value;
      }
    };
    const question = JSON.parse(await until(/(?<=^data: ).*elicitation\/create.*$/m));
    return { question, result: () => until(/(?<=^data: ).*"result".*$/m) };
  }
}

function send(url: string, message: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });
}

describe('a proxied server over HTTP', () => {
  it('hears the answer of the session that it asked, whatever another session posts', async () => {
    using upstream = byHandServer();
    const server = proxyMcpServer(upstream.config);
    await using serving = await serveHttp(server);
    const [victim, attacker] = [await Session.open(serving.url), await Session.open(serving.url)];
    const { question, result } = await victim.ask();
    // By guessing, and by knowing.
    for (const id of [0, 1, 2, 3, 4, 5, '1', 'question 1', 'tenon_1', question.id]) {
      expect((await attacker.post({ id, result: forged })).status).toBe(202);
    }
    expect((await victim.post({ id: question.id, result: honest })).status).toBe(202);
    expect(await result()).toContain('Ada');
    await server.instance.close();
  });

  it('is asked under ids that nobody can guess', async () => {
    const server = new HandServer();
    const client = await server.client();
    const { id: call } = await server.request(client, 1, 'tools/call');
    for (const id of [1, 2]) server.say({ jsonrpc: '2.0', id, method: 'elicitation/create' }, call);
    const ids = client.take().map((message) => ('id' in message ? message.id : undefined));
    expect(ids).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    expect(ids[0]).not.toBe(ids[1]);
  });

  it('ignores the answer of another client even under the right id, and still waits for the right one', async () => {
    const server = new HandServer();
    const [asked, other] = [await server.client(), await server.client()];
    const { id: call } = await server.request(asked, 1, 'tools/call');
    server.say({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create' }, call);
    const [question] = asked.take() as { id: string }[];
    server.take();
    const answer = (from: object) => ({ jsonrpc: '2.0' as const, id: question?.id ?? '', result: { from } });
    await server.send(other, answer({ name: 'other' }));
    expect(server.take()).toEqual([]);
    await server.send(asked, answer({ name: 'asked' }));
    expect(server.take()).toEqual([{ jsonrpc: '2.0', id: 'q', result: { from: { name: 'asked' } } }]);
  });
});

/** A conversation whose agent says what it likes. */
function conversation(instance: McpServerInstance, onElicitation: () => Promise<typeof honest>) {
  const servers = new InProcessServers({ server: { type: 'sdk', name: 'server', instance } });
  const agent = { sessionId: undefined, control: async () => ({}) } as never;
  servers.open((name) => new QueryHost(name, agent, { onElicitation } as never, () => {}));
  const say = (message: object) =>
    servers.receive('server', { jsonrpc: '2.0', ...message } as never, new Cancellation());
  open.push(() => servers.close());
  return { say };
}
const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

const own = () => {
  const ask = tool('ask', 'Asks', {}, async (_args, { elicit }) =>
    JSON.stringify(await elicit({ message: 'Who?', requestedSchema: { type: 'object', properties: {} } })),
  );
  return { instance: createSdkMcpServer({ name: 'own', tools: [ask] }).instance };
};

describe.each([...foreignServers, ['createSdkMcpServer()', own] as const])(
  '%s in two conversations',
  (_, make) => {
    it('hears the person of the conversation that called, not an agent that answers in their name', async () => {
      const { instance } = make();
      let answer = (_result: typeof honest): void => {};
      let asked = (): void => {};
      const isAsked = new Promise<void>((resolve) => {
        asked = resolve;
      });
      const victim = conversation(instance, () => {
        asked();
        return new Promise((resolve) => {
          answer = resolve;
        });
      });
      const attacker = conversation(instance, async () => honest);
      for (const { say } of [victim, attacker]) {
        await say({ id: 0, method: 'initialize', params: { ...handshake, capabilities: {} } });
        await say({ method: 'notifications/initialized' });
      }
      const called = victim.say({ id: 1, method: 'tools/call', params: { name: 'ask', arguments: {} } });
      await isAsked;
      for (const id of [0, 1, 2, 3, '0', '1', 'tenon_0', 'tenon_1', 'tenon_2']) {
        for (const { say } of [victim, attacker]) await say({ id, result: forged });
      }
      answer(honest);
      expect(JSON.stringify(await called)).toContain('Ada');
    });
  },
);
