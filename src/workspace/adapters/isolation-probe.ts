import { execFile } from 'node:child_process';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { clock } from '../../protocol/base/clock.js';
import { messageOf } from '../../protocol/base/errors.js';
import { LIMITS } from '../../protocol/base/limits.js';
import { bubblewrapArguments } from './bubblewrap.js';

/**
 * Runs inside: tries to break out in every way that is promised not to work, and to do the one thing that is. What it
 * did is looked for from outside, so that a lie does not help.
 */
const CANARY = `
const { writeFileSync } = require('node:fs');
const [inside, port, ...outside] = process.argv.slice(1);
for (const path of outside) try { writeFileSync(path, 'out'); } catch {}
const finish = () => { writeFileSync(inside, 'in'); process.exit(0); };
const socket = require('node:net').connect(Number(port), '127.0.0.1', () => socket.write('out', finish));
socket.on('error', finish);
`;

/** What is wrong with the isolation; undefined: nothing was found. */
export async function probeIsolation(program: string, network: boolean): Promise<string | undefined> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'tenon-probe-')));
  const root = await mkdtemp(join(base, 'root-'));
  const name = `.tenon-probe-${clock.uuid()}`;
  const outside = [...new Set([base, homedir(), process.cwd(), '/var/tmp', '/dev/shm'])].map((each) =>
    join(each, name),
  );
  const listener = await listen();
  try {
    const canary = join(root, 'canary');
    const cage = bubblewrapArguments({ root, cwd: root, writable: [], network });
    const node = [process.execPath, '-e', CANARY, canary, String(listener.port), ...outside];
    const failure = await run(program, [...cage, ...node]);
    if (failure !== undefined) return failure;
    if ((await contentOf(canary)) !== 'in') return 'what was written in the root did not arrive there';
    for (const path of outside) {
      if ((await contentOf(path)) !== undefined) return `a file was written outside of the root, "${path}"`;
    }
    if (!network && listener.wasReached()) return 'the network of this machine was reached';
    return undefined;
  } finally {
    await listener.close();
    await Promise.all(
      [...outside, base].map((path) => rm(path, { recursive: true, force: true }).catch(() => {})),
    );
  }
}

function run(program: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = { timeout: LIMITS.isolationProbeMs, killSignal: 'SIGKILL' as const };
    execFile(program, args, options, (error, _, stderr) => {
      if (error === null) return resolve(undefined);
      const why = stderr.trim().split('\n').at(-1) || messageOf(error).split('\n')[0];
      resolve(`it failed: ${why}`);
    });
  });
}

async function contentOf(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}

interface Listener {
  readonly port: number;
  wasReached(): boolean;
  close(): Promise<void>;
}

async function listen(): Promise<Listener> {
  let wasReached = false;
  const server: Server = createServer((socket) => {
    wasReached = true;
    socket.destroy();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    wasReached: () => wasReached,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
