import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { workspaceConformance } from '../../src/testing/index.js';
import { localWorkspace } from '../../src/workspace/adapters/local.js';
import { memoryWorkspace } from '../../src/workspace/adapters/memory.js';

async function folder(): Promise<{ path: string; dispose: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'tenon-workspace-'));
  return { path, dispose: () => rm(path, { recursive: true, force: true }) };
}

describe('R48: a folder of this machine', () => {
  const cases = workspaceConformance(async () => {
    const { path, dispose } = await folder();
    return { workspace: localWorkspace(path), dispose };
  });
  for (const { name, run } of cases) it(name, run);
});

describe('R48: a tree in memory', () => {
  for (const { name, run } of workspaceConformance(() => memoryWorkspace())) it(name, run);
});
