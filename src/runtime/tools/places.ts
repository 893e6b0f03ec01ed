import type { Workspace } from '../../workspace/workspace.js';
import type { AgentPlaces, Platform } from '../platform/platform.js';

/** Where an agent keeps what does not fit into its conversation, as the workspace knows these places. */
export async function placesIn(
  workspace: Workspace,
  { env, platform }: { env: Readonly<Record<string, string | undefined>>; platform: Platform },
  sessionId: string,
): Promise<AgentPlaces> {
  const projectKey = await platform.projectKey(workspace.root);
  const { toolResults, tasks, plans } = platform.placesOf({ env, projectKey, sessionId });
  const real = async (path: string): Promise<string> => (await workspace.locate(path)).real;
  return { toolResults: await real(toolResults), tasks: await real(tasks), plans: await real(plans) };
}
