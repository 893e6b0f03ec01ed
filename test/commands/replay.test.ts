/** `tenon run --record` and `tenon replay`: a run is kept, and shown again as it was (R56). */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { apiError, blocks, hang, readTape, text, toolUse } from '../../src/testing/index.js';
import { sandbox, waitUntil } from '../support/real-cli.js';
import { agent, RUNTIMES, toolsFile } from './support/agent.js';
import { start, tenon } from './support/tenon.js';

const add = toolUse('mcp__tools__add', { a: 15, b: 27 });
const script = () => [
  blocks([text('Let me see.', { chunks: 3 }), add]),
  toolUse('mcp__tools__divide', { a: 1, b: 0 }),
  text('It is 42.', { chunks: 3 }),
];

/** Without times of calls, which are those of the recording's clock in one and of the terminal in the other. */
const untimed = (lines: string): string => lines.replaceAll(/\([\d.]+ m?s\)$/gm, '(…)');

describe.each(RUNTIMES)('a run on the runtime "%s"', (runtime) => {
  const run = ['run', 'What is 15 + 27?', '--tools', toolsFile, '--runtime', runtime, '--yes'];

  it('is recorded, and played again: same stdout, same lines, same exit code, and nobody is asked (R56)', async () => {
    await using its = await agent(script());
    const recorded = await tenon([...run, '--record', 'run.tape'], its);
    expect(recorded.code).toBe(0);
    expect(recorded.stderr).toContain('The conversation is recorded in run.tape.');
    const requests = its.api.requests.length;
    const played = await tenon(['replay', 'run.tape'], { env: { PATH: '' }, cwd: its.cwd });
    expect(played).toMatchObject({ code: 0, stdout: recorded.stdout });
    const shown = (stderr: string) =>
      untimed(stderr)
        .split('\n')
        .filter((line) => !/recorded|^Claude|^Embedded/i.test(line));
    expect(shown(played.stderr)).toEqual(shown(recorded.stderr));
    expect(played.stderr).toMatch(/^Recorded \d{4}-.* · \d+ frames · /);
    expect(its.api.requests).toHaveLength(requests);
  });

  it('prints with --json what the run printed with --json (R56)', async () => {
    await using its = await agent(script());
    const recorded = await tenon([...run, '--json', '--record', 'run.tape'], its);
    const played = await tenon(['replay', 'run.tape', '--json'], { env: { PATH: '' }, cwd: its.cwd });
    expect(played).toEqual(recorded);
  });

  it('that failed exits with 1 again, and says why again (R56)', async () => {
    await using its = await agent(() => apiError(401, 'authentication_error', 'invalid x-api-key'), {
      CLAUDE_CODE_MAX_RETRIES: '0',
    });
    const recorded = await tenon([...run, '--record', 'run.tape'], its);
    const played = await tenon(['replay', 'run.tape'], { cwd: its.cwd });
    expect([recorded.code, played.code]).toEqual([1, 1]);
    expect(played.stderr).toContain('Set ANTHROPIC_API_KEY');
  });

  it('that was interrupted exits with 130 again; one that was left at once does, too (R56)', async () => {
    for (const presses of [1, 3]) {
      await using its = await agent([hang()]);
      const { child, output, finished } = start([...run, '--record', 'run.tape'], its);
      await its.api.waitForRequest(0);
      await waitUntil(() => existsSync(join(its.cwd, 'run.tape')), { what: 'the tape' });
      child.kill('SIGINT');
      if (presses > 1) {
        await waitUntil(() => output().includes('Interrupting'), { what: 'the first press' });
        child.kill('SIGINT');
        await waitUntil(() => output().includes('Stopped') || child.exitCode !== null, {
          what: 'the second press',
        });
        child.kill('SIGINT');
      }
      expect((await finished).code).toBe(130);
      const played = await tenon(['replay', 'run.tape'], { cwd: its.cwd });
      expect(played.code).toBe(130);
    }
  });
});

describe('tenon replay', () => {
  it('explains itself, and names what is wrong with file, line and remedy (R56)', async () => {
    await using box = sandbox();
    const its = { cwd: box.cwd, env: { PATH: '', HOME: box.home } };
    expect((await tenon(['replay', '--help'], its)).stdout).toContain('tenon replay run.tape');
    const without = await tenon(['replay'], its);
    expect(without).toMatchObject({ code: 2, stderr: expect.stringContaining('a recording is required') });
    const missing = await tenon(['replay', 'no.tape'], its);
    expect(missing.code).toBe(2);
    expect(missing.stderr).toContain(
      'there is no file "no.tape". Record one: tenon run "…" --record no.tape',
    );
    await writeFile(join(box.cwd, 'odd.tape'), '{"tape":1,"agent":"x"}\n{"kind":"frame"}\n');
    const odd = await tenon(['replay', 'odd.tape'], its);
    expect(odd).toMatchObject({ code: 1, stderr: expect.stringContaining('odd.tape, line 2: ') });
    const json = await tenon(['replay', 'odd.tape', '--json'], its);
    expect(JSON.parse(json.stdout)).toMatchObject({ type: 'error', code: 'INVALID_TAPE' });
    const speed = await tenon(['replay', 'odd.tape', '--speed', 'fast'], its);
    expect(speed).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--speed must be a number above 0; it is "fast"'),
    });
  });

  it('plays at the speed of the run, if it is told to (R56)', async () => {
    await using its = await agent([text('Hello.', { chunks: 2 })]);
    await tenon(['run', 'Hi', '--runtime', 'embedded', '--record', 'run.tape'], its);
    const played = await tenon(['replay', 'run.tape', '--speed', '1'], { cwd: its.cwd });
    expect(played).toMatchObject({ code: 0, stdout: 'Hello.\n' });
  });

  it('shows what there is of a run whose program was killed, and says so (R56)', async () => {
    await using its = await agent([text('Hello.'), hang()]);
    await tenon(['run', 'Hi', '--runtime', 'embedded', '--record', 'run.tape'], its);
    const file = join(its.cwd, 'run.tape');
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    const cut = lines.findIndex((line) => line.includes('"type":"result"'));
    await writeFile(file, `${lines.slice(0, cut).join('\n')}\n{"kind":"fra`);
    const played = await tenon(['replay', 'run.tape'], { cwd: its.cwd });
    expect(played).toMatchObject({ code: 1, stdout: 'Hello.\n' });
    expect(played.stderr).toContain('the recording breaks off here');
  });

  it('cannot be recorded where there is no directory, which is said once; the run goes on (R56)', async () => {
    await using its = await agent([text('Hello.')]);
    const run = await tenon(['run', 'Hi', '--runtime', 'embedded', '--record', 'no/run.tape'], its);
    expect(run).toMatchObject({ code: 0, stdout: 'Hello.\n' });
    expect(run.stderr.match(/is not recorded/g)).toHaveLength(1);
  });
});

it('a recording of tenon run holds no key of its environment (R56)', async () => {
  await using its = await agent([text('Hello.')], { ANTHROPIC_API_KEY: 'planted-key-1234' });
  await tenon(['run', 'Is planted-key-1234 a key?', '--runtime', 'embedded', '--record', 'run.tape'], its);
  const file = join(its.cwd, 'run.tape');
  expect(await readFile(file, 'utf8')).not.toContain('planted-key');
  expect(readTape(file).head.backEnd).toBe('embedded');
});
