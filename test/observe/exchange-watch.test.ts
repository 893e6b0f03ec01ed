/** The files in which a CLI writes down what it asks its model are read as far as they can be trusted (R56). */
import { appendFile, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ExchangeWatch } from '../../src/observe/exchange-watch.js';
import { LIMITS } from '../../src/protocol/base/limits.js';
import type { ModelCall } from '../../src/protocol/transport/run-events.js';
import { waitUntil } from '../support/real-cli.js';

let root = '';
let told: ModelCall[] = [];
const at = (name: string): string => join(root, name);
const row = (request: string, response: string): string =>
  `${JSON.stringify({ message_id: 'msg_1', request_file: request, response_file: response })}\n`;
const start = (): ExchangeWatch => new ExchangeWatch(root, (call) => void told.push(call));

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'tenon-test-'));
  told = [];
});
afterEach(() => rm(root, { recursive: true, force: true }));

it('an answer is told when it is whole: its row comes first, and its file grows (R56)', async () => {
  const watch = start();
  await writeFile(at('a.request.json'), '{"model":"m"}');
  await writeFile(at('index.jsonl'), row('a.request.json', 'r1.response.json'));
  await writeFile(at('r1.response.json'), '{"id":"msg_1",');
  // It does not hold up another one.
  await writeFile(at('b.request.json'), '{"model":\n"n"}');
  await writeFile(at('r2.response.json'), '{"id":"msg_2"}');
  await appendFile(at('index.jsonl'), row('b.request.json', 'r2.response.json'));
  await waitUntil(() => told.length === 1, { what: 'the exchange that is whole' });
  await appendFile(at('r1.response.json'), '"role":"assistant"}');
  await waitUntil(() => told.length === 2, { what: 'both exchanges' });
  expect(told).toMatchObject([
    { id: 1, request: '{"model":"n"}', response: '{"id":"msg_2"}' },
    { id: 2, messageId: 'msg_1', request: '{"model":"m"}', response: '{"id":"msg_1","role":"assistant"}' },
  ]);
  await watch.finish();
  expect(await readdir(root)).toEqual(['index.jsonl']);
  expect(told).toHaveLength(2);
});

it('at the end what has no answer, or none that is whole, is told without one, in order (R56)', async () => {
  await writeFile(at('b.request.json'), '{"n":1}');
  await writeFile(at('torn.response.json'), '{"id":');
  await writeFile(at('index.jsonl'), `${row('b.request.json', 'torn.response.json')}{"torn`);
  await writeFile(at('torn.request.json'), '{"n":');
  await writeFile(at('a.request.json'), '{"n":3}');
  await writeFile(at('z.request.json'), '{"n":2}');
  await utimes(at('z.request.json'), 1_000, 1_000);
  await start().finish();
  expect(told.map(({ request }) => request)).toEqual(['{"n":1}', '{"n":2}', '{"n":3}']);
  expect(told[1]?.began).toBe(1_000_000);
  expect(told.every(({ response }) => response === undefined)).toBe(true);
});

it('a row that leads elsewhere is neither read nor removed, and no link is followed (R56)', async () => {
  const elsewhere = await mkdtemp(join(tmpdir(), 'tenon-test-'));
  const secret = join(elsewhere, 'x.json');
  await writeFile(secret, '{"secret":1}');
  await symlink(secret, at('link.response.json'));
  await symlink(secret, at('link.request.json'));
  await writeFile(at('good.request.json'), '{"good":1}');
  await writeFile(at('good.response.json'), '{"good":2}');
  await writeFile(
    at('index.jsonl'),
    [
      'not JSON\n[]\n{"request_file":1}\n',
      row('good.request.json', 'good.response.json'),
      row(`../${elsewhere.split('/').at(-1)}/x.json`, 'good.response.json'),
      row('good.request.json', secret),
      row('link.request.json', 'link.response.json'),
    ].join(''),
  );
  await start().finish();
  expect(told).toMatchObject([{ request: '{"good":1}', response: '{"good":2}' }]);
  expect(JSON.stringify(told)).not.toContain('secret');
  expect(await readFile(secret, 'utf8')).toBe('{"secret":1}');
  await rm(elsewhere, { recursive: true });
});

it('a body that is too long is not read, and told as cut (R56)', async () => {
  await writeFile(at('long.request.json'), `{"text":"${'x'.repeat(LIMITS.maxExchangeBytes)}"}`);
  await start().finish();
  expect(told).toMatchObject([{ request: '{}', cut: LIMITS.maxExchangeBytes + 11 }]);
});

it('a directory that is gone ends nothing (R56)', async () => {
  await rm(root, { recursive: true });
  await start().finish();
  expect(told).toEqual([]);
});
