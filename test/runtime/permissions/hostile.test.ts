/** The hostile calls, decided by ours alone. */
import { describe, expect, it } from 'vitest';
import { HOSTILE, type HostileCall } from './hostile.js';
import { type Call, HOME, ROOT, verdict } from './support.js';

function placed(call: HostileCall): Call {
  const at = (text: string): string =>
    text.replaceAll('@cwd', ROOT).replaceAll('@out', '/out').replaceAll('@home', HOME);
  return typeof call === 'string' ? at(call) : [call[0], at(call[1])];
}

describe('a hostile call', () => {
  const sets = Object.entries(HOSTILE);

  it.each(sets)('R51: is never allowed where %s', async (_, { calls, ...situation }) => {
    const allowed: HostileCall[] = [];
    for (const call of calls) {
      if ((await verdict(situation, placed(call))) === 'allow') allowed.push(call);
    }
    expect(allowed).toEqual([]);
  });

  it('R51: comes in at least 200 shapes', () => {
    const shapes = sets.flatMap(([name, { calls }]) => calls.map((call) => JSON.stringify([name, call])));
    expect(new Set(shapes).size).toBe(shapes.length);
    expect(shapes.length).toBeGreaterThanOrEqual(200);
  });

  it('R51: is refused, not only asked about, where a rule denies what it plainly does', async () => {
    const { calls, ...situation } = HOSTILE['rm is denied'] ?? { calls: [] };
    for (const call of calls.slice(0, 20))
      expect([call, await verdict(situation, placed(call))]).toEqual([call, 'deny']);
  });
});
