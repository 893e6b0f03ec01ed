/** The database is stopped at once in the middle of turns, and started again (R60; scale 3). */
import { describe, expect, it } from 'vitest';
import type { SessionRef } from '../../../src/host/index.js';
import { binaries } from '../storage/support/postgres-server.js';
import { ground } from './support/ground.js';

const CONVERSATIONS = 20;
const PROMPTS = 6;
const TOOLS = ['plain', 'idempotent', 'reconciling', 'stream', 'plain stream', 'idempotent+plain'];

describe.skipIf(binaries === undefined)('a database that is stopped with -m immediate', () => {
  const at = ground({ isDurable: true });

  it('in the middle of turns, twice: the host goes on by itself, nothing is lost, doubled or out of order, and somebody is told', async () => {
    const program = await at.start({ pauseMs: 5 });
    const refs = Array.from(
      { length: CONVERSATIONS },
      (_, index): SessionRef => ({ tenant: `t${index % 3}`, session: `u${index}` }),
    );
    const prompts = ({ session }: SessionRef): string[] =>
      Array.from(
        { length: PROMPTS },
        (_, index) => `${session}/${index + 1}: ${TOOLS[index % TOOLS.length]}`,
      );
    const sending = Promise.all(
      refs.map((ref) =>
        program.run(
          'sendAll',
          ref,
          'all',
          prompts(ref).map((prompt) => [prompt, prompt]),
        ),
      ),
    );
    for (const count of [CONVERSATIONS * 2, CONVERSATIONS * 4]) {
      await expect
        .poll(() => program.said.filter(({ said }) => said === 'sent').length)
        .toBeGreaterThan(count);
      await at.server.crash();
    }
    await sending;
    for (const ref of refs) {
      const turns = await at.settled(ref);
      expect(turns.map(({ prompt, outcome }) => [prompt, outcome])).toEqual(
        prompts(ref).map((prompt) => [prompt, 'answered']),
      );
      turns.forEach(({ words }, index) => {
        expect(words.at(-1)).toContain(`${ref.session}/${index + 1} is turn ${index + 1}: `);
      });
    }
    const effects = at.effects();
    for (const tool of ['plain', 'reconciling']) {
      const labels = effects.filter((effect) => effect.tool === tool).map(({ label }) => label);
      expect(new Set(labels).size).toBe(labels.length);
    }
    const keys = new Map<string, string>();
    for (const { tool, label, key } of effects) {
      expect(keys.get(`${tool} ${label}`) ?? key).toBe(key);
      keys.set(`${tool} ${label}`, key);
    }
    expect(program.said.filter(({ said }) => said === 'problem').length).toBeGreaterThan(0);
    expect(program.process.exitCode).toBeNull();
  });
});
