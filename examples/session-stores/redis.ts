/** A private Redis server for a test, in its own folder and on a free port. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type RedisClientType } from 'redis';
import { freePort } from '../shared/free-port.js';

export interface RedisServer {
  client: RedisClientType;
  stop(): Promise<void>;
}

export async function startRedis(program: string): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-redis-'));
  const port = await freePort();
  const args = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--dir',
    folder,
    '--save',
    '',
    '--appendonly',
    'no',
  ];
  const server = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(server, 'exit');
  await new Promise<void>((resolve, reject) => {
    server.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes('Ready to accept connections')) resolve();
    });
    server.once('exit', (code) => reject(new Error(`redis-server exited with ${code}`)));
    server.once('error', reject);
  });
  const client = createClient({ url: `redis://127.0.0.1:${port}` }) as unknown as RedisClientType;
  client.on('error', () => {});
  await client.connect();
  return {
    client,
    stop: async () => {
      client.destroy();
      server.kill();
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
