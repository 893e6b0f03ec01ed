/** Programs that bundle the package: what the bundle needs is in it, and what is loaded on demand still is (pain 10). */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build as esbuild } from 'esbuild';
import { build as vite } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scriptedMessagesApi, text, toolUse } from '../../src/testing/index.js';
import { ITS_PACKAGES, installBuilt } from '../support/built-package.js';
import { PATIENCE_MS } from '../support/patience.js';
import { cliPath, sandbox } from '../support/real-cli.js';

/** Both back ends, a plain JSON Schema (whose validator is loaded on demand), and a server over HTTP. */
const PROGRAM = `
import { createSdkMcpServer, query, serveHttp, tool } from 'tenon';
import { embedded } from 'tenon/runtime';
import { scriptedModel } from 'tenon/testing';

const schema = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] };
const add = tool('add', 'Adds', schema, ({ a, b }) => String(a + b));
const calc = createSdkMcpServer({ name: 'calc', tools: [add], alwaysLoad: true });
const steps = [{ toolUses: [{ name: 'mcp__calc__add', input: { a: 15, b: 27 } }] }, { text: 'It is 42.' }];

async function answer(options) {
  for await (const message of query({
    prompt: 'What is 15 + 27?',
    options: { mcpServers: { calc }, allowedTools: ['mcp__calc__add'], ...options },
  })) {
    if (message.type === 'result') return message.result;
  }
}

const serving = await serveHttp(calc);
await serving.close();
console.log(JSON.stringify([
  await answer({ runtime: embedded({ model: scriptedModel(steps) }) }),
  await answer({ pathToClaudeCodeExecutable: process.argv[2], env: JSON.parse(process.argv[3]) }),
]));
`;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenon-bundles-'));
  await installBuilt(folder, ['zod', ...ITS_PACKAGES]);
  await writeFile(join(folder, 'program.mjs'), PROGRAM);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function answersOf(program: string): Promise<string[]> {
  await using box = sandbox();
  await using api = await scriptedMessagesApi([
    toolUse('mcp__calc__add', { a: 15, b: 27 }),
    text('It is 42.'),
  ]);
  const args = [program, cliPath, JSON.stringify(box.env(api))];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: PATIENCE_MS });
  return JSON.parse(stdout);
}

describe('a program bundled', () => {
  it('by esbuild into one file answers on both back ends', async () => {
    const outfile = join(folder, 'esbuild', 'program.mjs');
    await esbuild({
      entryPoints: [join(folder, 'program.mjs')],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      // Packages in CommonJS inside the bundle want a require.
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
      },
      logLevel: 'silent',
    });
    expect(await answersOf(outfile)).toEqual(['It is 42.', 'It is 42.']);
  });

  it('by Vite for a server, with everything in it, answers on both back ends', async () => {
    await vite({
      root: folder,
      configFile: false,
      logLevel: 'silent',
      ssr: { noExternal: true },
      build: { ssr: 'program.mjs', outDir: 'vite', target: 'node20' },
    });
    expect(await answersOf(join(folder, 'vite', 'program.js'))).toEqual(['It is 42.', 'It is 42.']);
  });
});

it('require() gives the same names as import, in every entry', async () => {
  const entries = [
    'tenon',
    'tenon/core',
    'tenon/protocol',
    'tenon/runtime',
    'tenon/testing',
    'tenon/model/anthropic',
    'tenon/model/ai-sdk',
  ];
  const script = `
    (async () => {
      const wrong = [];
      for (const entry of ${JSON.stringify(entries)}) {
        const [required, imported] = [require(entry), await import(entry)];
        wrong.push(...Object.keys(imported).filter((name) => required[name] !== imported[name]));
      }
      console.log(JSON.stringify(wrong));
    })();`;
  await writeFile(join(folder, 'required.cjs'), script);
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'required.cjs')]);
  expect(JSON.parse(stdout)).toEqual([]);
});
