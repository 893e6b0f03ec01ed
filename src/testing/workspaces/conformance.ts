import type { Workspace } from '../../workspace/workspace.js';
import { COMMAND_CASES } from './command-cases.js';
import { FILE_CASES } from './file-cases.js';
import { LINK_CASES } from './link-cases.js';

/** One requirement for a workspace. `run` rejects with the reason if the workspace does not meet it. */
export interface WorkspaceCase {
  name: string;
  run(): Promise<void>;
}

/** Creates a new workspace with an empty root for each case; `dispose` cleans up after it. */
export type MakeWorkspace = () =>
  | Workspace
  | { workspace: Workspace; dispose?: () => void | Promise<void> }
  | Promise<Workspace | { workspace: Workspace; dispose?: () => void | Promise<void> }>;

/**
 * The requirements for every workspace, for any test runner:
 * `for (const { name, run } of workspaceConformance(makeWorkspace)) it(name, run);`
 * Commands are not tested where there is no `exec`, and links not where no command could make one.
 */
export function workspaceConformance(make: MakeWorkspace): WorkspaceCase[] {
  return [...FILE_CASES, ...COMMAND_CASES, ...LINK_CASES].map(([name, check]) => ({
    name,
    run: async () => {
      const made = await make();
      const { workspace, dispose } = 'read' in made ? { workspace: made, dispose: undefined } : made;
      try {
        await check(workspace);
      } finally {
        await dispose?.();
      }
    },
  }));
}
