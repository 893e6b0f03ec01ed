/** `tenon run` as a person sees it: in a real pseudo-terminal, read from the screen of a terminal emulator. */
import { expect, it } from 'vitest';
import { blocks, stall, text, toolUse } from '../../src/testing/index.js';
import { alive, descendants, waitUntil } from '../support/real-cli.js';
import { agent, RUNTIMES, toolsFile } from './support/agent.js';
import { CTRL_C, describeInTerminal, Terminal } from './support/terminal.js';

const add = toolUse('mcp__tools__add', { a: 15, b: 27 });
const ESCAPE = '\u001b';

for (const runtime of RUNTIMES) {
  describeInTerminal(`tenon run in a terminal, on the runtime "${runtime}"`, () => {
    const run = ['run', 'What is 15 + 27?', '--tools', toolsFile, '--runtime', runtime];

    it('shows words while they come, and Ctrl-C interrupts the turn', async () => {
      // The answer stops half way: what is on the screen then was streamed.
      await using its = await agent([stall(text('The first half. The second half.', { chunks: 8 }))]);
      using terminal = new Terminal(run, its);
      await terminal.sees('The first half.');
      expect(await terminal.text()).not.toContain('The second half.');
      terminal.press(CTRL_C);
      await terminal.sees('Interrupting the turn; Ctrl-C again quits.');
      expect(await terminal.exited).toBe(130);
      const lines = await terminal.lines();
      // The words end their line before anything else is said.
      expect(lines).toContain('Interrupting the turn; Ctrl-C again quits.');
      expect(lines.at(-1)).toMatch(/^interrupted · \d turns? · [\d.]+ m?s · /);
    });

    it('asks before a tool runs, and remembers the answer for the run', async () => {
      await using its = await agent([
        add,
        add,
        toolUse('mcp__tools__divide', { a: 6, b: 3 }),
        toolUse('mcp__tools__divide', { a: 8, b: 2 }),
        text('Done.'),
      ]);
      using terminal = new Terminal(run, its);
      await terminal.sees('? Run tools.add {"a":15,"b":27}\n  [y]es  [a]lways  [n]o  ne[v]er');
      terminal.press('a');
      await terminal.sees('? Run tools.divide {"a":6,"b":3}');
      terminal.press('n');
      await terminal.sees('? Run tools.divide {"a":8,"b":2}');
      terminal.press('y');
      expect(await terminal.exited).toBe(0);
      const shown = await terminal.text();
      // Asked once, run twice.
      expect(shown.match(/\? Run tools\.add/g)).toHaveLength(1);
      expect(shown.match(/✓ tools\.add \{"a":15,"b":27\} → 42/g)).toHaveLength(2);
      expect(shown).toMatch(/✗ tools\.divide \{"a":6,"b":3\} → .*did not all/);
      expect(shown).toContain('✓ tools.divide {"a":8,"b":2} → 4 (');
      expect(shown).toMatch(/Done\.\n5 turns · /);
      its.api.assertDone();
    });

    it('shows a spinner with the time while a tool runs; a second Ctrl-C quits and leaves nothing behind', async () => {
      await using its = await agent([toolUse('mcp__tools__deaf'), text('Never said.')]);
      using terminal = new Terminal([...run, '--yes'], its);
      await terminal.sees(/^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] (\d{3} ms|\d\.\d s) tools\.deaf$/m);
      const children = descendants(terminal.pid);
      terminal.press(CTRL_C);
      await terminal.sees('Interrupting the turn');
      terminal.press(CTRL_C);
      expect(await terminal.exited).toBe(130);
      // The spinner is gone from the screen.
      expect(await terminal.text()).not.toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/);
      await waitUntil(() => !children.some(alive), { what: 'the end of all processes' });
    });
  });
}

describeInTerminal('the screen of tenon run', () => {
  const run = ['run', 'What?', '--tools', toolsFile, '--runtime', 'embedded'];

  it('keeps each call on one line in a narrow window, and the question readable', async () => {
    const long = { a: 15, b: 27, why: 'because '.repeat(40) };
    await using its = await agent([toolUse('mcp__tools__add', long), text('A long answer. '.repeat(10))]);
    using terminal = new Terminal(run, { ...its, columns: 40 });
    await terminal.sees('ne[v]er');
    terminal.press('y');
    expect(await terminal.exited).toBe(0);
    const lines = await terminal.lines();
    const call = lines.filter((line) => line.startsWith('✓'));
    expect(call).toHaveLength(1);
    expect(call[0]).toMatch(/^✓ tools\.add \{"a".*… → 42 \(\d+ ms\)$/);
    expect(lines.every((line) => line.length <= 40)).toBe(true);
    // The arguments have three lines at most, so that what is asked stays on the screen.
    const question = lines.findIndex((line) => line.startsWith('? Run tools.add'));
    const legend = lines.findIndex((line) => line.includes('[y]es'));
    expect(legend - question).toBeLessThanOrEqual(3);
  });

  it('has colour, but not with NO_COLOR', async () => {
    await using its = await agent([add, text('42.'), add, text('42.')]);
    using coloured = new Terminal([...run, '--yes'], its);
    await coloured.exited;
    expect(coloured.raw).toContain(`${ESCAPE}[32m✓${ESCAPE}[39m`);
    using plain = new Terminal([...run, '--yes'], { ...its, env: { ...its.env, NO_COLOR: '1' } });
    await plain.exited;
    expect(plain.raw).toContain('✓ tools.add');
    // Colours end in m; moving the cursor and erasing does not.
    expect(plain.raw).not.toMatch(new RegExp(`${ESCAPE}\\[\\d+m`));
  });

  it('lets no word of the model or of a tool steer the terminal (R70)', async () => {
    const evil = `${ESCAPE}[2J${ESCAPE}]0;title\u0007safe\rover`;
    await using its = await agent([blocks([text(evil), toolUse('mcp__tools__loud')]), text('Done.')]);
    using terminal = new Terminal([...run, '--yes'], its);
    expect(await terminal.exited).toBe(0);
    expect(terminal.raw).not.toContain(`${ESCAPE}[2J`);
    expect(terminal.raw).not.toContain(`${ESCAPE}]0;`);
    expect(await terminal.text()).toMatch(/safeover[\s\S]*✓ tools\.loud → red and more/);
  });

  it('withdraws a question when the turn is interrupted', async () => {
    await using its = await agent([add, text('Never said.')]);
    using terminal = new Terminal(run, its);
    await terminal.sees('ne[v]er');
    terminal.press(CTRL_C);
    expect(await terminal.exited).toBe(130);
    expect(await terminal.text()).toMatch(
      /ne\[v\]er\nInterrupting the turn; Ctrl-C again quits\.\n\(withdrawn\)\n/,
    );
  });
});
