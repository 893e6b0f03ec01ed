/** From the end of input to SIGKILL: a process goes, whatever it does against it, and whatever happens to the host (wish 13). */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/protocol/base/limits.js';
import { spawnTransport } from '../../src/protocol/index.js';
import { alive, waitUntil } from '../support/real-cli.js';
import { RecordingReceiver } from '../support/recording-receiver.js';

const ready = `process.stdout.write('{"type":"ready"}\\n');`;
const ignoresEof = `${ready} setInterval(() => {}, 1e6);`;
const ignoresSigterm = `process.on('SIGTERM', () => process.stdout.write('{"type":"no"}\\n')); ${ignoresEof}`;
const leavesOnEof = `process.stdin.on('end', () => process.exit(3)).resume(); ${ready}`;

async function run(program: string, closeGraceMs?: number) {
  const transport = spawnTransport({
    command: process.execPath,
    args: ['-e', program],
    cwd: undefined,
    env: process.env,
    closeGraceMs,
  });
  const receiver = new RecordingReceiver();
  transport.start(receiver);
  await receiver.nth(0);
  return { transport, receiver };
}

describe('stop()', () => {
  const limits = LIMITS as { killGraceMs: number };
  const killGraceMs = LIMITS.killGraceMs;

  beforeEach(() => {
    limits.killGraceMs = 100;
  });

  afterEach(() => {
    limits.killGraceMs = killGraceMs;
  });

  it('lets a process leave by itself at the end of its input', async () => {
    const { transport, receiver } = await run(leavesOnEof, 60_000);
    await transport.stop();
    expect(receiver.ends).toEqual([{ code: 3, signal: null }]);
  });

  it('sends SIGTERM to one that ignores the end of its input', async () => {
    const { transport, receiver } = await run(ignoresEof, 50);
    await transport.stop();
    expect(receiver.ends).toEqual([{ code: null, signal: 'SIGTERM' }]);
  });

  it('sends SIGKILL to one that ignores SIGTERM too', async () => {
    const { transport, receiver } = await run(ignoresSigterm, 50);
    await transport.stop();
    expect(receiver.frames).toEqual([{ type: 'ready' }, { type: 'no' }]);
    expect(receiver.ends).toEqual([{ code: null, signal: 'SIGKILL' }]);
    expect(alive(transport.pid!)).toBe(false);
  });

  it('may be called again and then only shortens the wait', async () => {
    const { transport, receiver } = await run(ignoresEof);
    const first = transport.stop(60_000);
    const second = transport.stop(0);
    const third = transport.stop(60_000);
    await Promise.all([first, second, third]);
    expect(receiver.ends).toEqual([{ code: null, signal: 'SIGTERM' }]);
    await transport.stop();
    expect(receiver.ends).toHaveLength(1);
  });
});

/** Starts a daemon, which leaves the process group, and says its id. */
const startsDaemon = `
  const daemon = require('child_process').spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
  process.stdin.on('end', () => process.exit(0)).resume();
  process.stdout.write(JSON.stringify({ type: 'daemon', pid: daemon.pid }) + '\\n');
`;

describe.runIf(process.platform === 'linux')('a daemon', () => {
  const daemonOf = (receiver: RecordingReceiver) => Number((receiver.frames[0] as { pid?: unknown }).pid);

  it('ends with a process that is stopped in the middle of its work (pain 3)', async () => {
    const { transport, receiver } = await run(startsDaemon);
    const daemon = daemonOf(receiver);
    expect(alive(daemon)).toBe(true);
    await transport.stop(0);
    expect(alive(daemon)).toBe(false);
  });

  it('stays when the process ends by itself: it was left on purpose', async () => {
    const { transport, receiver } = await run(startsDaemon);
    const daemon = daemonOf(receiver);
    await transport.stop();
    expect(receiver.ends).toEqual([{ code: 0, signal: null }]);
    expect(alive(daemon)).toBe(true);
    process.kill(daemon, 'SIGKILL');
  });
});

/** A host in a process of its own: it starts a program that no signal but SIGKILL ends, and says its id. */
const HOST = `
  import { spawnTransport } from ${JSON.stringify(new URL('../../dist/protocol/index.js', import.meta.url))};
  const program = \`
    for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT']) process.on(signal, () => {});
    const child = require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' });
    const daemon = require('child_process').spawn('sleep', ['1000'], { stdio: 'ignore', detached: process.platform === 'linux' });
    process.stdout.write(JSON.stringify({ type: 'pids', pids: [process.pid, child.pid, daemon.pid] }) + '\\\\n');
    setInterval(() => {}, 1e6);
  \`;
  const transport = spawnTransport({ command: process.execPath, args: ['-e', program], cwd: undefined, env: process.env });
  transport.start({
    frame: ({ pids }) => console.log(JSON.stringify(pids)),
    noise() {}, dropped() {}, stderr() {}, end() {},
  });
  process.stdin.on('data', () => process.exit(0)).resume();
`;

function startHost() {
  return spawn(process.execPath, ['--input-type=module', '-e', HOST], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

describe('when the host goes, everything that it has started goes', () => {
  it.each<[string, (host: ReturnType<typeof startHost>) => void]>([
    ['by SIGKILL', (host) => host.kill('SIGKILL')],
    ['by SIGTERM', (host) => host.kill('SIGTERM')],
    ['by process.exit()', (host) => host.stdin.write('exit\n')],
  ])('%s', async (_, end) => {
    const host = startHost();
    let pids: number[] = [];
    for await (const line of createInterface({ input: host.stdout })) {
      pids = JSON.parse(line);
      break;
    }
    expect(pids).toHaveLength(3);
    expect(pids.every(alive)).toBe(true);
    end(host);
    try {
      await waitUntil(() => !pids.some(alive), { what: 'the end of child, grandchild and daemon' });
    } finally {
      for (const pid of pids) if (alive(pid)) process.kill(pid, 'SIGKILL');
    }
  });
});
