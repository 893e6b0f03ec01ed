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

/** A link may name a tool without its server. */
export function isNamed(tool: string, name: string): boolean {
  return tool === name || tool.endsWith(`__${name}`);
}
