import { ok } from 'node:assert/strict';
import type { CommandEnd, ExecOptions, Workspace } from '../../workspace/workspace.js';

export type Case = readonly [name: string, check: (workspace: Workspace) => Promise<void>];

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Relative to the root. */
export const at = (workspace: Workspace, path: string): string => `${workspace.root}/${path}`;

export async function textOf(workspace: Workspace, path: string): Promise<string> {
  return new TextDecoder().decode(await workspace.read(at(workspace, path)));
}

/** Runs a command to its end. */
export async function ran(
  workspace: Workspace,
  command: string,
  options: Partial<ExecOptions> = {},
): Promise<CommandEnd & { output: string }> {
  ok(workspace.exec, 'the workspace has no `exec`');
  const chunks: Uint8Array[] = [];
  const running = workspace.exec(command, {
    cwd: workspace.root,
    env: { PATH: process.env.PATH },
    onOutput: (chunk) => void chunks.push(chunk.slice()),
    ...options,
  });
  const end = await running.ended;
  return { ...end, output: Buffer.concat(chunks).toString() };
}
