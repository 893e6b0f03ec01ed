/** What a file of tools may be, and what is said when it is something else. */
import { describe, expect, it } from 'vitest';
import { serversIn } from '../../src/commands/tools-file/exported-servers.js';
import { createSdkMcpServer, tool } from '../../src/index.js';
import { sandbox } from '../support/real-cli.js';
import { project } from './support/project.js';
import { tenon } from './support/tenon.js';

const add = tool('add', 'Adds', { type: 'object' }, () => 1);
const multiply = tool('multiply', 'Multiplies', { type: 'object' }, () => 2);
const calc = createSdkMcpServer({ name: 'calc', tools: [add] });

const found = (module: Record<string, unknown>, file = './my tools.mjs') =>
  serversIn(module, file, '--tools').map(({ name, tools }) => ({ name, tools }));

describe('a module of tools', () => {
  it('may export tools, lists of tools and servers; free tools are in a server named after the file', () => {
    expect(found({ add, multiply })).toEqual([{ name: 'my_tools', tools: ['add', 'multiply'] }]);
    expect(found({ all: [add, multiply], add })).toEqual([{ name: 'my_tools', tools: ['add', 'multiply'] }]);
    expect(found({ calc })).toEqual([{ name: 'calc', tools: ['add'] }]);
    // `add` is in the server already.
    expect(found({ calc, add, multiply })).toEqual([
      { name: 'calc', tools: ['add'] },
      { name: 'my_tools', tools: ['multiply'] },
    ]);
  });

  it('may export other things beside them', () => {
    expect(found({ add, PI: 3.14, helper: () => 1, nothing: null, empty: [] })).toEqual([
      { name: 'my_tools', tools: ['add'] },
    ]);
  });

  it('is only its default export, if it has one', () => {
    expect(found({ default: [multiply], add })).toEqual([{ name: 'my_tools', tools: ['multiply'] }]);
    expect(found({ default: calc, multiply })).toEqual([{ name: 'calc', tools: ['add'] }]);
  });

  it.each([
    [{}, /exports nothing\. Export tools/],
    [{ PI: 3.14, f: () => 1 }, /exports no tools, only PI \(a number\), f \(a function\)/],
    [{ default: { add } }, /its default export is an object\. Export tools/],
    [{ default: [] }, /its default export is an empty array/],
    [{ default: [add, 1] }, /its default export is an array of something else/],
    [{ calc, again: createSdkMcpServer({ name: 'calc' }) }, /two servers named "calc"/],
  ])('with %o is refused with the reason', (module, reason) => {
    expect(() => found(module)).toThrow(reason);
  });
});

/** Whether the file loads is seen by serving it; a bad name of a server shows the names that are there. */
async function load(file: string, cwd: string) {
  return tenon(['serve', file, '--http', '0', '--name', '?'], { cwd });
}

const TYPED = `
import { tool } from 'tenon';
import { double } from './double.js';
enum Kind { Even = 'even' }
interface Input { a: number }
export const twice = tool('twice', Kind.Even, { type: 'object' }, (input: Input): number => double(input.a));
`;

describe('a file of tools', () => {
  it('may be TypeScript, with esbuild where Node does not read it by itself', async () => {
    await using box = sandbox();
    const files = { 'tools.ts': TYPED, 'double.ts': 'export const double = (a: number): number => a * 2;\n' };
    await project(box.cwd, { ...files, 'package.json': '{"type":"module"}' }, ['esbuild']);
    const { stderr } = await load('./tools.ts', box.cwd);
    // Node 22.18 and newer take only what can be erased, and no `.js` for `.ts`; that is theirs to say.
    if ('typescript' in process.features && process.features.typescript)
      expect(stderr).toMatch(/It has: tools\.|the import must say ".ts"|enum/);
    else expect(stderr).toContain('"./tools.ts" has no such server. It has: tools.');
  });

  it.each([
    [
      'throws.mjs',
      'throw new Error("no database");',
      /could not be loaded: Error: no database\n\s+at .*throws\.mjs:1/,
    ],
    [
      'broken.mjs',
      'export const = 1;',
      /could not be loaded: .*broken\.mjs:1\n.*export const = 1.*SyntaxError/s,
    ],
    [
      'absent.mjs',
      'import "no-such-package";',
      /Install it in the folder of the file: npm install no-such-package/,
    ],
    ['missing.mjs', 'import "./no-such-file.js";', /Correct the import, or add the file/],
    [
      'bad.mjs',
      'import { tool } from "tenon"; tool("a b", "", {}, () => 1);',
      /file "\.\/bad\.mjs": .*letters/s,
    ],
  ])('%s is refused with the reason and the place', async (name, text, reason) => {
    await using box = sandbox();
    await project(box.cwd, { [name]: text });
    const { code, stderr } = await load(`./${name}`, box.cwd);
    expect(stderr).toMatch(reason);
    expect(code).toBe(2);
  });
});
