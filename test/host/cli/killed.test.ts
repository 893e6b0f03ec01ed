/** The program is killed with -9 while conversations run on the CLI, and another one goes on (R60, R63, R64; scale 1, 4, 15). */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { postgresStorage } from '../../../src/host/storage/postgres/index.js';
import { type ScriptedRequest, text, toolUse } from '../../../src/testing/index.js';
import { fold } from '../faults/support/fold.js';
import { effectsIn, eventsIn } from '../faults/support/look.js';
import { type Program, startProgram } from '../faults/support/program.js';
import { CLI } from './support.js';

/** Of a call that needs nobody. */
const PLAIN = ['before append 1', 'in the handler', 'before release 1'];
/** Of one that somebody has to allow: the first release puts it away. */
const GUARDED = [
  'after append 1',
  'before ask 1',
  'after ask 1',
  'before release 1',
  'before begin 1',
  'after begin 1',
  'in the handler',
  'before end 1',
  'before release 2',
];

interface Case {
  readonly ref: { tenant: string; session: string };
  readonly tool: 'plain' | 'guarded';
  readonly moment: string;
}

const named = (tool: Case['tool'], moments: readonly string[]): Case[] =>
  moments.map((moment) => ({
    ref: { tenant: 'acme', session: `${tool}-${moment.replaceAll(' ', '-')}` },
    tool,
    moment,
  }));
const CASES = [...named('plain', PLAIN), ...named('guarded', GUARDED)];

/** Calls the tool that the prompt names, and says something about its result. */
function script({ messages }: ScriptedRequest) {
  const said = JSON.stringify(messages);
  if (said.includes('"tool_result"')) return text('I see.');
  const [, label, tool] = /([a-z0-9-]+\/0): (\w+)/.exec(said) ?? [];
  return toolUse(`mcp__shop__${tool}`, { label });
}

/** Answers what was put away, until it is told to stop. */
function allowing(program: Program): () => Promise<void> {
  let isOver = false;
  const done = (async () => {
    while (!isOver) {
      for (const { id, tenant, session } of await program.call('pendingApprovals')) {
        const state = (await program.call('session', { tenant, session }))?.state;
        if (state === 'waiting') await program.call('answer', id, { behavior: 'allow' });
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })().catch(() => {});
  return () => {
    isOver = true;
    return done;
  };
}

/** The living processes of the CLI in a sandbox, whoever has started them. */
function processesIn(configDir: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        const isCli = readFileSync(`/proc/${name}/cmdline`, 'latin1').includes('--output-format');
        return isCli && readFileSync(`/proc/${name}/environ`, 'latin1').includes(configDir);
      } catch {
        return false;
      }
    })
    .map(Number);
}

describe('a program with conversations on the CLI that is killed with -9', () => {
  it('at any moment: no process is left, the next one goes on, no call is made twice, nothing is told twice', async () => {
    await using running = await CLI.start(script);
    const { box } = running;
    const directory = join(box.home, 'storage');
    const effectsFile = join(box.home, 'effects.jsonl');
    const given = {
      place: { directory },
      effectsFile,
      cli: running.options({ settingSources: [] }),
      host: { lease: { ttlMs: 600_000 }, limits: { running: 2 * CASES.length }, approvals: { holdMs: 20 } },
    };
    const moments = Object.fromEntries(CASES.map(({ ref, moment }) => [ref.session, moment]));
    await using first = await startProgram({ ...given, moments });
    const stopAllowing = allowing(first);
    for (const { ref, tool } of CASES) await first.call('send', ref, `${ref.session}/0: ${tool}`);
    await vi.waitFor(() => {
      const reached = first.said.filter(({ said }) => said === 'stopped').map(({ session }) => session);
      expect(reached.toSorted()).toEqual(CASES.map(({ ref }) => ref.session).toSorted());
    });
    expect(processesIn(box.configDir)).not.toEqual([]);
    await first.kill();
    await stopAllowing();
    await vi.waitFor(() => expect(processesIn(box.configDir)).toEqual([]));

    await using second = await startProgram({ ...given, version: 'v2' });
    const stop = allowing(second);
    for (const { ref } of CASES) {
      await expect.poll(async () => (await second.call('session', ref))?.state).toBe('idle');
    }
    await stop();
    await second.kill('SIGTERM');
    expect(processesIn(box.configDir)).toEqual([]);

    const storage = postgresStorage({ directory });
    onTestFinished(() => storage.close());
    for (const { ref, tool } of CASES) {
      const events = await eventsIn(storage, ref);
      const [turn, ...others] = fold(events);
      expect({ ref, others, ...turn }).toMatchObject({ others: [], outcome: 'answered' });
      const effects = effectsIn(effectsFile).filter(({ label }) => label === `${ref.session}/0`);
      const isUnknown = JSON.stringify(turn).includes('outcome is unknown');
      expect({ ref, isUnknown, effects: effects.length }).toSatisfy(
        ({ effects: count }) => count === 1 || (isUnknown && count === 0),
      );
      const asked = events.flatMap(({ message }) =>
        message.type === 'host' && message.subtype === 'approval' ? [message.approval.id] : [],
      );
      // Before anybody is asked, a call that needs somebody looks like one that needs nobody, and may have begun.
      const least = tool === 'guarded' && !isUnknown ? 1 : 0;
      expect({ ref, asked: new Set(asked).size }).toSatisfy(
        ({ asked: count }) => count >= least && count <= (tool === 'guarded' ? 1 : 0),
      );
    }
    expect(second.said.filter(({ said }) => said === 'problem')).toEqual([]);
  });
});
