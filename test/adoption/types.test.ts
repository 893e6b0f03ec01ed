/** A program in TypeScript that uses the packages compiles with Tenon's types in the place of the official ones. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { installWithTenon } from './support/installation.js';

const modules = fileURLToPath(new URL('../../node_modules/', import.meta.url));

it('the types of the packages and those of Tenon fit together', async () => {
  await using installed = await installWithTenon(
    '@arizeai/openinference-instrumentation-claude-agent-sdk',
    'ai-sdk-provider-claude-code',
    'langsmith',
  );
  const compilerOptions = {
    target: 'es2023',
    lib: ['es2023', 'esnext.disposable', 'dom'],
    module: 'nodenext',
    types: ['node'],
    typeRoots: [`${modules}@types`],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
  };
  const config = installed.file('..', 'tsconfig.json');
  await writeFile(config, JSON.stringify({ compilerOptions, files: ['typed.ts'] }));
  const compiler = [`${modules}typescript/bin/tsc`, '-p', config];
  const { stdout } = await promisify(execFile)(process.execPath, compiler).catch((error) => error);
  expect(stdout).toBe('');
});
