/** The adapter that the guide shows does what every workspace has to, with a shell of this machine as the other one. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, it } from 'vitest';
import { workspaceConformance } from '../../src/testing/index.js';
import { findProgram } from '../../src/workspace/adapters/shell.js';
import type { Workspace } from '../../src/workspace/index.js';

type Remote = (root: string, start: (script: string) => ChildProcess) => Workspace;

const root = fileURLToPath(new URL('../..', import.meta.url));
mkdirSync(join(root, '.cache'), { recursive: true });
const folder = mkdtempSync(join(root, '.cache', 'remote-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function adapter(): Promise<Remote> {
  const page = readFileSync(join(root, 'docs/guide/workspaces.md'), 'utf8');
  const [code = ''] = /(?<=```ts\n)(?:(?!```)[\s\S])*remoteWorkspace\([\s\S]*?(?=```)/.exec(page) ?? [];
  const file = join(folder, 'remote.ts');
  writeFileSync(file, code);
  return ((await import(file)) as { remoteWorkspace: Remote }).remoteWorkspace;
}

const remoteWorkspace = await adapter();

// It needs what Linux machines and containers have.
describe.skipIf(findProgram('setsid', process.env) === undefined)('R48: a workspace behind a shell', () => {
  const cases = workspaceConformance(async () => {
    const path = await realpath(await mkdtemp(join(tmpdir(), 'tenon-remote-')));
    const workspace = remoteWorkspace(path, (script) => spawn('sh', ['-c', script]));
    return { workspace, dispose: () => rm(path, { recursive: true, force: true }) };
  });
  for (const { name, run } of cases) it(name, run);
});
