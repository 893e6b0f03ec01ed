/** Whatever the order in which clients call, cancel and leave, and the server answers: nobody hears what is another's. */

import { expect, it } from 'vitest';
import type { JsonRpcId, JsonRpcRequest } from '../../../src/index.js';
import fc from '../../support/property.js';
import { HandClient, HandServer, settled } from '../../support/shared-server.js';

const CLIENTS = 4;

interface Call {
  readonly client: number;
  readonly id: JsonRpcId;
  readonly label: string;
  state: 'open' | 'answered' | 'cancelled';
}

const step = fc.record({
  kind: fc.constantFrom('call', 'call', 'call', 'cancel', 'progress', 'ask', 'answer', 'answer', 'leave'),
  client: fc.nat(CLIENTS - 1),
  /** Which of the open calls. */
  pick: fc.nat(),
});

/** All clients count their ids from 0 and use the same progress tokens: everything that can collide does. */
class Play {
  readonly server = new HandServer();
  readonly clients: HandClient[] = Array.from({ length: CLIENTS }, () => new HandClient());
  readonly calls: Call[] = [];
  readonly expected: { client: number; told: unknown }[] = [];
  readonly #nextIds = Array.from({ length: CLIENTS }, () => 0);
  readonly #serverSide = new Map<string, JsonRpcRequest>();

  async start(): Promise<void> {
    await Promise.all(this.clients.map((client) => this.server.multiplexer.attach(client)));
  }

  async call(client: number): Promise<void> {
    const id = this.#nextIds[client] ?? 0;
    this.#nextIds[client] = id + 1;
    const call: Call = { client, id, label: `${client}/${id}/${this.calls.length}`, state: 'open' };
    this.calls.push(call);
    const params = { label: call.label, _meta: { progressToken: id } };
    this.#serverSide.set(
      call.label,
      await this.server.request(this.#client(client), id, 'tools/call', params),
    );
  }

  async cancel({ client, id, label }: Call): Promise<void> {
    const params = { requestId: id, reason: label };
    this.server.take();
    await this.server.send(this.#client(client), {
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params,
    });
    const requestId = this.#request(label).id;
    expect(this.server.take()).toEqual([
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason: label } },
    ]);
  }

  progress(call: Call): void {
    const { _meta } = this.#request(call.label).params as { _meta: { progressToken: JsonRpcId } };
    const params = { progressToken: _meta.progressToken, progress: 1, message: call.label };
    this.server.say({ jsonrpc: '2.0', method: 'notifications/progress', params });
    if (call.state !== 'open') return;
    const told = { method: 'notifications/progress', params: { ...params, progressToken: call.id } };
    this.expected.push({ client: call.client, told: expect.objectContaining(told) });
  }

  /** A question that belongs to the call; the answer must come back to it. */
  async ask(call: Call): Promise<void> {
    this.server.take();
    const id = `question of ${call.label}`;
    this.server.say({ jsonrpc: '2.0', id, method: 'elicitation/create' }, this.#request(call.label).id);
    if (call.state === 'open') {
      const client = this.#client(call.client);
      const { message, relatedRequestId } = client.heard.pop() ?? {};
      expect(relatedRequestId).toBe(call.id);
      const { id: given } = message as JsonRpcRequest;
      this.server.multiplexer.receive(client, { jsonrpc: '2.0', id: given, result: { to: call.label } });
    }
    await settled();
    const expected = call.state === 'open' ? { id, result: { to: call.label } } : { id, error: {} };
    expect(this.server.take()).toMatchObject([expected]);
  }

  answer(call: Call): void {
    const result = { answer: call.label };
    this.server.say({ jsonrpc: '2.0', id: this.#request(call.label).id, result });
    if (call.state === 'open')
      this.expected.push({ client: call.client, told: { jsonrpc: '2.0', id: call.id, result } });
  }

  /** Leaves and comes back as somebody new. The last one stays: else the connection would go. */
  async leave(client: number): Promise<void> {
    this.server.multiplexer.detach(this.#client(client));
    await this.server.multiplexer.attach(this.#client(client));
    for (const call of this.calls)
      if (call.client === client && call.state === 'open') call.state = 'cancelled';
  }

  check(): void {
    for (const [index, client] of this.clients.entries()) {
      const expected = this.expected.filter((one) => one.client === index).map(({ told }) => told);
      expect(client.take()).toEqual(expected);
    }
    const ids = [...this.#serverSide.values()].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  }

  #client(index: number): HandClient {
    return this.clients[index] ?? new HandClient();
  }

  #request(label: string): JsonRpcRequest {
    const request = this.#serverSide.get(label);
    if (request === undefined) throw new Error(`The server has not seen ${label}`);
    return request;
  }
}

it('ids, tokens, answers, reports, questions and cancellations never meet', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const play = new Play();
      await play.start();
      for (const { kind, client, pick } of steps) {
        if (kind === 'call') await play.call(client);
        if (kind === 'leave') await play.leave(client);
        // Answered and cancelled calls, too: a server may speak of them late.
        const call = play.calls[pick % Math.max(play.calls.length, 1)];
        if (call === undefined) continue;
        if (kind === 'cancel' && call.state === 'open') {
          await play.cancel(call);
          call.state = 'cancelled';
        }
        if (kind === 'progress') play.progress(call);
        if (kind === 'ask') await play.ask(call);
        if (kind === 'answer') {
          play.answer(call);
          if (call.state === 'open') call.state = 'answered';
        }
      }
      play.check();
    }),
    { numRuns: 150 },
  );
});
