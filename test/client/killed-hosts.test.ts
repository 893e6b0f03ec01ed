/** A host that is killed leaves no secrets and no agent, at whatever moment; and nothing else is ever removed (pain 3, pain 44). */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { fakeCli } from '../support/fake-cli.js';
import { alive, descendants, sandbox, waitUntil } from '../support/real-cli.js';

const hosts = new Set<ChildProcess>();
afterAll(() => {
  for (const host of hosts) host.kill('SIGKILL');
});

const tenon = JSON.stringify(new URL('../../dist/index.js', import.meta.url).href);
const stays = JSON.stringify(fakeCli('ignores-sigterm'));

/** A program of its own whose temporary files are in `temporary`; resolves when it writes a line. */
async function start(program: string, temporary: string): Promise<ChildProcess> {
  const host = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env: { PATH: process.env.PATH, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  hosts.add(host);
  const lines = createInterface({ input: host.stdout });
  await Promise.race([
    once(lines, 'line'),
    once(lines, 'close').then(() => Promise.reject(new Error('no line'))),
  ]);
  return host;
}

async function kill(host: ChildProcess): Promise<void> {
  host.kill('SIGKILL');
  if (host.exitCode === null && host.signalCode === null) await once(host, 'exit');
}

/** The living processes that were given this directory for temporary files. */
function processesWith(temporary: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/environ`, 'latin1').split('\0').includes(`TMPDIR=${temporary}`);
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Starts an agent that only SIGKILL ends, with a secret for one of its servers. */
const QUERY = `
  import { writeSync } from 'node:fs';
  import { query } from ${tenon};
  writeSync(1, 'begins\\n');
  const mcpServers = { files: { command: 'node', env: { TOKEN: 'SECRET' } } };
  const options = { pathToClaudeCodeExecutable: ${stays}, mcpServers };
  for await (const _ of query({ prompt: 'go', options }));
`;

describe.runIf(process.platform === 'linux')('a host that is killed', () => {
  const moments = Array.from({ length: 24 }, (_, index) => index * 4);

  it('in the first 100 ms leaves neither a file with secrets nor an agent that ignores the end of its input', async () => {
    const next = moments.values();
    const killInTurn = async (): Promise<void> => {
      for (const moment of next) {
        await using box = sandbox();
        const host = await start(QUERY, box.home);
        await wait(moment);
        await kill(host);
        try {
          const left = () => [...processesWith(box.home), ...readdirSync(box.home)];
          await waitUntil(() => left().length === 0, { what: `nothing left, killed after ${moment} ms` });
        } finally {
          for (const pid of processesWith(box.home)) process.kill(pid, 'SIGKILL');
        }
      }
    };
    await Promise.all([killInTurn(), killInTurn(), killInTurn()]);
  });
});

/** Has a private directory as long as its agent runs, and that runs for ever. Writes a line when all is in place. */
const HERMETIC = `
  import { query } from ${tenon};
  const start = (pathToClaudeCodeExecutable, env) =>
    query({ prompt: 'go', options: { pathToClaudeCodeExecutable, hermetic: true, env } });
  const short = start(${JSON.stringify(fakeCli('well-behaved'))}, {});
  const long = start(${stays}, { FAKE_TURN: 'endless' });
  for await (const _ of short);
  for await (const _ of long) console.log('ready');
`;

describe.runIf(process.platform === 'linux')('what is removed of a host that is killed', () => {
  it('is its own directory alone, also when its path has a backslash and an n', async () => {
    await using box = sandbox();
    const precious = join(box.home, 'precious');
    const temporary = join(box.home, 'precious\\ntmp');
    for (const directory of [precious, temporary]) mkdirSync(directory);
    writeFileSync(join(precious, 'letter.txt'), 'Dear Ada');
    const host = await start(HERMETIC, temporary);
    expect(readdirSync(temporary)).toHaveLength(1);
    await kill(host);
    await waitUntil(() => readdirSync(temporary).length === 0, { what: 'no private directory' });
    expect(readFileSync(join(precious, 'letter.txt'), 'utf8')).toBe('Dear Ada');
  });

  it('is not a directory that does not carry its mark', async () => {
    await using box = sandbox();
    const host = await start(HERMETIC, box.home);
    const [name = ''] = readdirSync(box.home);
    const directory = join(box.home, name);
    renameSync(directory, join(box.home, 'its own'));
    mkdirSync(directory);
    writeFileSync(join(directory, '.tenon-owner'), 'another host\n');
    const below = descendants(host.pid ?? 0);
    await kill(host);
    // The reaper is one of them, and removes directories last.
    await waitUntil(() => !below.some(alive), { what: 'the end of agent and reaper' });
    expect(readdirSync(box.home).sort()).toEqual([name, 'its own'].sort());
  });
});

describe.runIf(process.platform === 'linux')('the next host', () => {
  it('removes what a host left that was killed together with its reaper, and nothing else', async () => {
    await using box = sandbox();
    const running = await start(HERMETIC, box.home);
    const [ofRunning = ''] = readdirSync(box.home);
    const lost = await start(HERMETIC, box.home);
    const [ofLost = ''] = readdirSync(box.home).filter((name) => name !== ofRunning);
    // It must not see them die, or it would clean up itself.
    lost.kill('SIGSTOP');
    for (const pid of descendants(lost.pid ?? 0)) process.kill(pid, 'SIGKILL');
    await kill(lost);
    const owner = readFileSync(join(box.home, ofLost, '.tenon-owner'), 'utf8');
    const put = (name: string, text?: string) => {
      mkdirSync(join(box.home, name));
      if (text !== undefined) writeFileSync(join(box.home, name, '.tenon-owner'), text);
    };
    const named = (digit: string) => `tenon-00000000-0000-4000-8000-${digit.repeat(12)}`;
    put(named('1'));
    put(named('2'), owner.replace(hostname(), 'another-machine'));
    put(named('3'), 'hello');
    put('tenon-project', owner);
    put(named('4'), owner);
    const next = await start(HERMETIC, box.home);
    const isLeft = () => [ofLost, named('4')].some((name) => existsSync(join(box.home, name)));
    await waitUntil(() => !isLeft(), { what: 'the end of the abandoned directories' });
    const others = [ofRunning, named('1'), named('2'), named('3'), 'tenon-project'];
    expect(readdirSync(box.home)).toEqual(expect.arrayContaining(others));
    await kill(running);
    await kill(next);
    await waitUntil(() => processesWith(box.home).length === 0, { what: 'the end of the agents' });
  });
});
