/** The conformance suite of the Model Context Protocol as a program. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const suite = path('../../reference/node_modules/@modelcontextprotocol/conformance/dist/index.js');
export const expectedFailures: string = path('../expected-failures.yml');

/** Runs one of its commands. */
export async function conformance(...args: string[]): Promise<{ code: number; output: string }> {
  const command = ['--import', path('../node-20.mjs'), suite, ...args];
  const run = promisify(execFile)(process.execPath, command, {
    env: { PATH: process.env.PATH, NO_COLOR: '1' },
    maxBuffer: 64 * 1024 * 1024,
  });
  return run.then(
    ({ stdout }) => ({ code: 0, output: stdout }),
    ({ code, stdout, stderr }) => ({ code, output: stdout + stderr }),
  );
}

/** The scenarios that one side is expected to fail. */
export async function expectedFailuresOf(side: 'server' | 'client'): Promise<string[]> {
  const text = await readFile(expectedFailures, 'utf8');
  const [, section = ''] = text.split(new RegExp(`^${side}:$`, 'm'));
  const [own = ''] = section.split(/^\w+:$/m);
  return [...own.matchAll(/^ {2}- (\S+)$/gm)].map(([, name = '']) => name);
}
