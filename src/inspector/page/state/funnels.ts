import { mcpToolPrefix } from '../../../mcp/tool-names.js';
import { funnelOf, funnelsOf } from '../../../observe/run/funnel.js';
import type { Run } from '../../../observe/run/run.js';
import type { ToolFunnel } from '../../../observe/run/views.js';
import { derived } from './derived.js';

/** The funnels of a run. A server that is not connected has listed nothing: one stands for all of its tools. */
export function shownFunnels(run: Run): readonly ToolFunnel[] {
  return derived(run, shownFunnels, () => {
    const known = funnelsOf(run);
    const missing = run.servers.all
      .filter(({ name }) => !known.some(({ server }) => server === name))
      .map(({ name }) => funnelOf(run, `${mcpToolPrefix(name)}__*`))
      .filter(({ broken }) => broken?.step === 'connected');
    return [...missing, ...known];
  });
}

/** The one that somebody asks about, also if the run knows no such tool. */
export function funnelNamed(run: Run, name: string): ToolFunnel {
  const known = shownFunnels(run).find(({ tool }) => isNamed(tool, name));
  return known ?? derived(run, funnelNamed, () => funnelOf(run, name), name);
}

/**
 * How bad it is. Nobody asks why the agent has not used all that it brings along; and a tool that the model might have
 * called is not broken.
 */
export function faultOf({ broken, server, calls }: ToolFunnel): 'none' | 'mild' | 'grave' {
  if (broken === undefined || (server === undefined && calls.length === 0)) return 'none';
  return broken.step === 'requested' ? 'mild' : 'grave';
}

/** What somebody should look at first: a tool that was never called before one that failed. */
export function worstFunnel(funnels: readonly ToolFunnel[]): ToolFunnel | undefined {
  const grave = funnels.filter((funnel) => faultOf(funnel) === 'grave');
  if (grave.length > 0) return grave.find(({ calls }) => calls.length === 0) ?? grave[0];
  // If some were called, the others were not needed.
  const isUsed = funnels.some(({ server, calls }) => server !== undefined && calls.length > 0);
  return isUsed ? undefined : funnels.find((funnel) => faultOf(funnel) === 'mild');
}

/** A link may name a tool without its server. */
export function isNamed(tool: string, name: string): boolean {
  return tool === name || tool.endsWith(`__${name}`);
}
