/** What `tenon dev` tells nobody: secrets, and the token of its own page (security rules 4 and 5). */
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sandbox, waitUntil } from '../support/real-cli.js';
import { bare, dev } from './support/playground.js';
import { project } from './support/project.js';

const SECRET = 'planted-6f1d2c9e';
const FILES = {
  'package.json': '{"type":"module"}',
  'shop.js': `import { tool } from 'tenon';
export const leak = tool('leak', 'Leaks', { type: 'object' }, () => 'it is ' + process.env.SHOP_API_KEY);\n`,
};

it('secrets are in neither the question, the result of a form nor the frames (inspector check 11)', async () => {
  await using box = sandbox();
  await project(box.cwd, FILES);
  await using it = await dev([], { ...bare(box), SHOP_API_KEY: SECRET }, box.cwd);
  const { page } = it;
  const turn = page.prompt(`call leak {"word":"${SECRET}"}`);
  await waitUntil(() => page.questions.length === 1, { what: 'the question' });
  expect(page.questions[0]?.input).toEqual({ word: '<redacted>' });
  await page.post('/api/answer', { id: page.questions[0]?.id, answer: 'yes' });
  await turn;
  const form = await page.post('/api/call', { server: 'shop', tool: 'leak', arguments: {} });
  expect(form.body).toMatchObject({ content: [{ text: 'it is <redacted>' }] });
  await waitUntil(() => page.frames.includes('it is <redacted>'), { what: 'the result among the frames' });
  expect(JSON.stringify(page.lines)).not.toContain(SECRET);
});

it.runIf(process.platform === 'linux')(
  '--open opens the page by a private file: its token is in no command line',
  async () => {
    await using box = sandbox();
    await project(box.cwd, FILES);
    const [bin, noted] = [join(box.home, 'bin'), join(box.home, 'opened')];
    await mkdir(bin);
    // What a browser would get, and what it would find there.
    const opener = `#!/bin/sh
page=$(echo "$1" | /bin/sed 's#^file://##')
{ echo "$1"; /bin/cat "$page"; /bin/ls -l "$page"; } > "$HOME/opened.part"
/bin/mv "$HOME/opened.part" "$HOME/opened"
`;
    await writeFile(join(bin, 'xdg-open'), opener);
    await chmod(join(bin, 'xdg-open'), 0o755);
    await using it = await dev(['--open'], { ...bare(box), PATH: bin }, box.cwd);
    await waitUntil(() => existsSync(noted), { what: 'the browser' });
    const opened = await readFile(noted, 'utf8');
    const [address = '', html = '', listing = ''] = opened.split('\n');
    expect(address).toMatch(/^file:\/\/.*\/tenon-open-\w+\/open\.html$/);
    expect(html).toContain(String(it.first.url));
    expect(listing).toMatch(/^-rw------- /);
    await it.end('SIGTERM');
    await expect(readFile(new URL(address))).rejects.toThrow('ENOENT');
  },
);
