/** The hostile calls, decided by ours alone; `hostile-cli.test.ts` asks the Claude Code CLI too. */
import { describe, expect, it } from 'vitest';
import { HOSTILE, type HostileCall } from './hostile.js';
import { EVASIONS } from './hostile-evasions.js';
import { type Call, HOME, ROOT, type Situation, verdict } from './support.js';

function placed(call: HostileCall): Call {
  const at = (text: string): string =>
    text.replaceAll('@cwd', ROOT).replaceAll('@out', '/out').replaceAll('@home', HOME);
  return typeof call === 'string' ? at(call) : [call[0], at(call[1])];
}

describe('a hostile call', () => {
  const sets = Object.entries({ ...HOSTILE, ...EVASIONS });

  it.each(sets)('R51: is never allowed where %s', async (_, { calls, ...situation }) => {
    const allowed: HostileCall[] = [];
    for (const call of calls) {
      if ((await verdict(situation, placed(call))) === 'allow') allowed.push(call);
    }
    expect(allowed).toEqual([]);
  });

  it('R51: comes in at least 600 shapes', () => {
    const shapes = sets.flatMap(([name, { calls }]) => calls.map((call) => JSON.stringify([name, call])));
    expect(new Set(shapes).size).toBe(shapes.length);
    expect(shapes.length).toBeGreaterThanOrEqual(600);
  });

  it('R51: is refused, not only asked about, where a rule denies what it plainly does', async () => {
    const { calls, ...situation } = HOSTILE['rm is denied'] ?? { calls: [] };
    for (const call of calls.slice(0, 20))
      expect([call, await verdict(situation, placed(call))]).toEqual([call, 'deny']);
  });

  it('R51: is asking git where files were put together to look like a repository', async () => {
    const files = ['HEAD', 'config', 'objects/x', 'refs/x'].map((name) => `${ROOT}/sub/${name}`);
    const planted: Situation = { mode: 'acceptEdits', tree: { files, links: [] } };
    expect(await verdict({ ...planted, cwd: `${ROOT}/sub` }, 'git status')).toBe('ask');
    expect(await verdict({ ...planted, cwd: `${ROOT}/sub/objects` }, 'git log')).toBe('ask');
    expect(await verdict({ ...planted, cwd: ROOT }, 'git status')).toBe('allow');
    const real = { files: [...files, `${ROOT}/sub/.git/config`], links: [] };
    expect(await verdict({ ...planted, tree: real, cwd: `${ROOT}/sub` }, 'git status')).toBe('allow');
  });
});

/** Openings and ends, repeated as often as a line may be long. */
const NESTED = [
  ['(', ')'],
  ['((', '))'],
  ['$(', ')'],
  ['$((', '))'],
  ['"$(', ')"'],
  ['`', ''],
  ['\\`', ''],
  ['"$' + '{x:-', '}"'],
  ['{ ', '; }'],
  ['if ', '; then :; fi'],
  ['[[ ( ', ' ) ]]'],
  ['case x in x) ', ';; esac'],
  ['<(', ')'],
  ['f() { ', '; }'],
  ['cat <<E\n', ''],
  ['{a,', '}'],
  ['@(a|', ')'],
  ['a[', ']=1'],
  ['eval ', ''],
  ['sudo ', ''],
  ['env -S "', '"'],
  ['find -exec ', ''],
  ['find . -exec find ', ' \\;'],
  ['xargs ', ''],
  ['bash -c "', '"'],
  ['watch "', '"'],
  ['cd a && ', 'ls'],
  ['a|', 'a'],
  ['s*/', ''],
  ['a/../', ''],
  ['rm ', ''],
] as const;

describe('a line that would take for ever', () => {
  const situation: Situation = {
    allow: ['Bash(ls:*)', 'Bash(echo *a*a*a*a*b)'],
    deny: ['Bash(rm:*)', 'Bash(* --force*)', 'Read(./secret/**)', 'Edit(**/docs/*a*)'],
  };

  it.each(NESTED)('R51: is decided, and does not run, however deep "%s" is nested', async (open, close) => {
    const times = Math.floor(19_000 / (open.length + close.length));
    for (const line of [open.repeat(times) + close.repeat(times), `${open.repeat(times)}x`])
      expect(await verdict(situation, line)).not.toBe('allow');
  });

  it.each(['x', '(', '$(', 'ls;', 'rm x;'])(
    'R51: of a megabyte of "%s" is only asked about',
    async (part) => {
      const line = part.repeat(Math.ceil(1_000_000 / part.length));
      expect(await verdict({ ...situation, allow: ['Bash'] }, line)).toBe('ask');
      expect(await verdict({}, line)).toBe('ask');
    },
  );
});
