/** `tenon run` without a prompt: a conversation, in a real pseudo-terminal (R58). */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hang, text, toolUse } from '../../src/testing/index.js';
import { alive, descendants, waitUntil } from '../support/real-cli.js';
import { agent, RUNTIMES, toolsFile } from './support/agent.js';
import { CTRL_C, describeInTerminal, Terminal } from './support/terminal.js';

const [CTRL_D, ENTER, UP] = ['\u0004', '\r', '\u001b[A'];

/** The prompts that reached the model, in the words of the person. */
const prompts = (
  requests: readonly { body: { messages: readonly { role: string; content: unknown }[] } }[],
) =>
  requests.map(({ body }) => JSON.stringify(body.messages.findLast(({ role }) => role === 'user')?.content));

for (const runtime of RUNTIMES) {
  describeInTerminal(`a conversation in the terminal, on the runtime "${runtime}"`, () => {
    const run = ['run', '--tools', toolsFile, '--runtime', runtime];

    it('is one session over all turns, with a closing line for each, and questions as ever', async () => {
      await using its = await agent([
        text('Hello.'),
        toolUse('mcp__tools__add', { a: 1, b: 2 }),
        text('It is 3.'),
      ]);
      using terminal = new Terminal(run, its);
      await terminal.sees('\n>');
      terminal.press(`Hi there${ENTER}`);
      await terminal.sees(/> Hi there\nHello\.\n1 turn · .*\n>$/);
      terminal.press(`Add them${ENTER}`);
      await terminal.sees('ne[v]er');
      terminal.press('y');
      await terminal.sees(/✓ tools\.add .* → 3 \(\d+ ms\)\nIt is 3\.\n2 turns · .*\n>$/);
      const children = descendants(terminal.pid);
      terminal.press(CTRL_D);
      expect(await terminal.exited).toBe(0);
      expect(await terminal.text()).toMatch(/To go on: tenon run --resume [\da-f-]{36}$/);
      await waitUntil(() => !children.some(alive), { what: 'the end of all processes' });
      // The second prompt has the first turn before it.
      expect(JSON.stringify(its.api.requests[1]?.body.messages)).toContain('Hi there');
      its.api.assertDone();
    });

    it('Ctrl-C interrupts the turn and the conversation goes on; twice between turns it leaves', async () => {
      await using its = await agent([hang(), text('Still here.')]);
      using terminal = new Terminal(run, its);
      await terminal.sees('\n>');
      terminal.press(`Wait${ENTER}`);
      await its.api.waitForRequest(0);
      terminal.press(CTRL_C);
      await terminal.sees(/Interrupting the turn[\s\S]*interrupted · [\s\S]*\n>$/);
      terminal.press(`Are you there?${ENTER}`);
      await terminal.sees(/Still here\.\n1 turn .*\n>$/);
      // What is typed is thrown away first; then twice leaves.
      terminal.press('never mind');
      await terminal.sees('> never mind');
      terminal.press(CTRL_C);
      await terminal.sees(/\n>$/);
      terminal.press(CTRL_C);
      await terminal.sees('Ctrl-C again leaves.\n>');
      terminal.press(CTRL_C);
      expect(await terminal.exited).toBe(130);
    });

    it('goes on another day: --continue, --resume', async () => {
      await using its = await agent([text('I will remember.'), text('It was blue.'), text('Blue again.')]);
      using first = new Terminal(run, its);
      await first.sees('\n>');
      first.press(`My colour is blue${ENTER}`);
      await first.sees(/I will remember\.\n1 turn .*\n>$/);
      first.press(`/exit${ENTER}`);
      expect(await first.exited).toBe(0);
      const [, id = ''] = /--resume (\S+)$/.exec(await first.text()) ?? [];
      using second = new Terminal([...run, '--continue'], its);
      await second.sees('\n>');
      second.press(`Which colour?${ENTER}`);
      await second.sees(/It was blue\.\n1 turn .*\n>$/);
      second.press(CTRL_D);
      expect(await second.exited).toBe(0);
      using third = new Terminal([...run, '--resume', id, 'Sure?'], its);
      expect(await third.exited).toBe(0);
      for (const request of its.api.requests.slice(1)) {
        expect(JSON.stringify(request.body.messages)).toContain('My colour is blue');
      }
      its.api.assertDone();
    });
  });
}

describeInTerminal('the line of a conversation', () => {
  const run = ['run', '--runtime', 'embedded'];

  it('has a history that is kept for the next time, for nobody else to read', async () => {
    await using its = await agent(() => text('Yes.'));
    using first = new Terminal(run, its);
    await first.sees('\n>');
    first.press(`the first question${ENTER}`);
    await first.sees(/Yes\.\n.*\n>$/);
    first.press(` a secret one${ENTER}`);
    await first.sees(/secret one\nYes\.\n.*\n>$/);
    first.press(`${UP}${UP}`);
    await first.sees('> the first question');
    first.press(`${ENTER}`);
    await first.sees(/> the first question\nYes\.\n.*\n>$/);
    first.press(CTRL_D);
    await first.exited;
    const file = join(its.env.XDG_STATE_HOME ?? join(its.env.HOME ?? '', '.local/state'), 'tenon/history');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).not.toContain('secret');
    using second = new Terminal(run, its);
    await second.sees('\n>');
    second.press(UP);
    await second.sees('> the first question');
  });

  it('goes on in the next one after a backslash, and takes a pasted text as one prompt', async () => {
    await using its = await agent(() => text('Yes.'));
    using terminal = new Terminal(run, its);
    await terminal.sees('\n>');
    terminal.press(`one \\${ENTER}`);
    await terminal.sees(/\n…$/);
    terminal.press(`two${ENTER}`);
    await terminal.sees(/… two\nYes\.\n.*\n>$/);
    terminal.press('three\rfour\rfive');
    await terminal.sees('… five');
    terminal.press(ENTER);
    await terminal.sees(/five\nYes\.\n.*\n>$/);
    expect(prompts(its.api.requests)).toEqual([
      expect.stringContaining('one \\ntwo'),
      expect.stringContaining('three\\nfour\\nfive'),
    ]);
  });

  it('explains itself with /help, and leaves the rest of the line alone while a tool prints', async () => {
    await using its = await agent([toolUse('mcp__tools__loud'), text('Done.')]);
    using terminal = new Terminal([...run, '--tools', toolsFile, '--yes'], its);
    await terminal.sees('\n>');
    terminal.press(`/help${ENTER}`);
    await terminal.sees(/\/exit {4}leave[\s\S]*\n>$/);
    terminal.press(`go${ENTER}`);
    await terminal.sees(/> go\nfrom the tool\n✓ tools\.loud .*\nDone\.\n2 turns .*\n>$/);
  });

  it('stays in its place in a narrow window, however long it is', async () => {
    await using its = await agent(() => text('Yes.'));
    using terminal = new Terminal(run, { ...its, columns: 40 });
    await terminal.sees('\n>');
    terminal.press('word '.repeat(20));
    await terminal.sees(/(word ?){4}$/);
    // Ctrl-U.
    terminal.press('\u0015typed again');
    await terminal.sees(/aves\.\n> typed again$/);
    terminal.press('word '.repeat(20));
    await terminal.sees(/(word ?){4}$/);
    terminal.press(CTRL_C);
    await terminal.sees(/aves\.\n>$/);
    const lines = await terminal.lines();
    expect(lines.filter((line) => line.includes('word'))).toEqual([]);
    expect(lines.filter((line) => line.startsWith('>'))).toEqual(['>']);
  });
});
