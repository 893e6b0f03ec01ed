/** Page and terminal at once: `tenon dev`, and `tenon run --inspect`, in a real pseudo-terminal (R57, R58). */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { text, toolUse } from '../../src/testing/index.js';
import { sandbox, waitUntil } from '../support/real-cli.js';
import { agent, RUNTIMES, toolsFile } from './support/agent.js';
import { PageClient } from './support/playground.js';
import { project } from './support/project.js';
import { start } from './support/tenon.js';
import { CTRL_C, describeInTerminal, Terminal } from './support/terminal.js';

const [CTRL_D, ENTER] = ['\u0004', '\r'];
const SHOP = `import { tool } from 'tenon';
export const price = tool('price', 'What it costs', { type: 'object', properties: { product: { type: 'string' } } }, () => '12 euros');
`;

async function pageOf(terminal: Terminal): Promise<PageClient> {
  const address = /http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]+/;
  await waitUntil(() => address.test(terminal.raw), { what: 'the address of the page' });
  return new PageClient(address.exec(terminal.raw)?.[0] ?? '').open();
}

const isAnswered = (by: string) => (line: object) =>
  'feed' in line && line.feed === 'answered' && 'by' in line && line.by === by;

describeInTerminal('tenon dev in a terminal', () => {
  it('is one conversation for page and terminal; what was being typed is there again after a turn of the page', async () => {
    await using box = sandbox();
    await project(box.cwd, { 'package.json': '{"type":"module"}', 'shop.js': SHOP });
    using terminal = new Terminal(['dev', './shop.js'], { env: { PATH: '', HOME: box.home }, cwd: box.cwd });
    await using page = await pageOf(terminal);
    await terminal.sees('a rehearsal model answers');
    await terminal.sees(/\n>$/);
    terminal.press('price pro');
    await terminal.sees(/\n> price pro$/);
    const turn = page.prompt('price product=nail');
    await terminal.sees('> price product=nail from the page\n? Run shop.price {"product":"nail"}\n  [y]es');
    await waitUntil(() => page.questions.length === 1, { what: 'the question on the page' });
    await page.post('/api/answer', { id: page.questions[0]?.id, answer: 'yes' });
    await turn;
    await terminal.sees(/answered: 12 euros\n2 turns .*\n> price pro$/);
    // The question is gone from the terminal: nobody is asked there any more.
    expect(await terminal.text()).not.toContain('[y]es');
    expect(await terminal.text()).toContain('  yes, from the page');
    terminal.press(`duct=hammer${ENTER}`);
    await terminal.sees('? Run shop.price {"product":"hammer"}');
    terminal.press('a');
    await page.sees(isAnswered('terminal'), 'that the terminal answered');
    await terminal.sees(/always in this run[\s\S]*answered: 12 euros\n2 turns .*\n>$/);
    // A change is told above the line that is being typed.
    terminal.press('st');
    await writeFile(join(box.cwd, 'shop.js'), SHOP.replaceAll('price', 'stock'));
    await terminal.sees(/↻ shop\.js was loaded again\. \+ stock, - price\n> st$/);
    terminal.press(`ock${ENTER}`);
    await terminal.sees('? Run shop.stock');
    terminal.press('n');
    await terminal.sees(/shop\.stock failed: .*\n.*\n>$/);
    terminal.press(`/tools${ENTER}`);
    await terminal.sees(/\nstock\n>$/);
    terminal.press(CTRL_D);
    expect(await terminal.exited).toBe(0);
    await page.sees((line) => 'feed' in line && line.feed === 'cut', 'the end of the server');
  });

  it('is interrupted by the page, and by Ctrl-C', async () => {
    await using box = sandbox();
    const wait = SHOP.replace(
      "() => '12 euros'",
      "(_, { signal }) => new Promise((_, no) => signal.addEventListener('abort', no))",
    );
    await project(box.cwd, { 'package.json': '{"type":"module"}', 'shop.js': wait });
    const args = ['dev', './shop.js', '--allow', 'price'];
    using terminal = new Terminal(args, { env: { PATH: '', HOME: box.home }, cwd: box.cwd });
    await using page = await pageOf(terminal);
    for (const interrupt of [() => page.post('/api/interrupt', {}), () => terminal.press(CTRL_C)]) {
      const before = page.frames.split('tools/call').length;
      const turn = page.prompt('price');
      await waitUntil(() => page.frames.split('tools/call').length > before, { what: 'the call' });
      void interrupt();
      await turn;
    }
    await terminal.sees(/interrupted ·[\s\S]*Interrupting the turn[\s\S]*interrupted ·[^\n]*\n>$/);
  });
});

for (const runtime of RUNTIMES) {
  describeInTerminal(`tenon run --inspect in a terminal, on the runtime "${runtime}"`, () => {
    it('asks in terminal and page with =control: the first answer wins, on either side (inspector check 5)', async () => {
      await using its = await agent([
        toolUse('mcp__tools__add', { a: 1, b: 2 }),
        toolUse('mcp__tools__add', { a: 3, b: 4 }),
        text('Done.'),
      ]);
      const args = ['run', 'Add', '--tools', toolsFile, '--runtime', runtime, '--inspect=control'];
      using terminal = new Terminal(args, its);
      await using page = await pageOf(terminal);
      await waitUntil(() => page.questions.length === 1, { what: 'the first question on the page' });
      await terminal.sees('? Run tools.add {"a":1,"b":2}\n  [y]es');
      await page.post('/api/answer', { id: page.questions[0]?.id, answer: 'yes' });
      await terminal.sees('? Run tools.add {"a":1,"b":2}\n  yes, from the page');
      await waitUntil(() => page.questions.length === 2, { what: 'the second question on the page' });
      await terminal.sees('? Run tools.add {"a":3,"b":4}\n  [y]es');
      terminal.press('y');
      await page.sees(isAnswered('terminal'), 'that the terminal answered');
      const late = await page.post('/api/answer', { id: page.questions[1]?.id, answer: 'no' });
      expect(late.status).toBe(409);
      await terminal.sees('The inspector stays open. Ctrl-C closes it.');
      await page.sees(
        (line) => 'feed' in line && line.feed === 'program' && line.state === 'ended',
        'the end',
      );
      terminal.press(CTRL_C);
      expect(await terminal.exited).toBe(0);
      its.api.assertDone();
    });
  });
}

it('tenon run --inspect only shows without =control, and does not keep a script waiting (inspector check 6)', async () => {
  await using its = await agent([toolUse('mcp__tools__slow'), text('Done.')]);
  const args = ['run', 'Wait', '--tools', toolsFile, '--runtime', 'embedded', '--yes', '--inspect'];
  const { child, output, finished } = start(args, { ...its, input: '' });
  const address = /http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]+/;
  await waitUntil(() => address.test(output()), { what: 'the address' });
  await using page = await new PageClient(address.exec(output())?.[0] ?? '').open();
  await waitUntil(() => page.frames.includes('tools/call'), { what: 'the frames of the run' });
  const refused = await page.post('/api/answer', { id: 'x', answer: 'yes' });
  expect(refused).toMatchObject({
    status: 403,
    body: { error: expect.stringContaining('--inspect=control') },
  });
  child.kill('SIGTERM');
  expect((await finished).code).toBe(143);
});
