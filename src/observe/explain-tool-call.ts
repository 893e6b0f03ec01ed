import { OptionError } from '../protocol/base/errors.js';
import type { Run } from './run/run.js';
import type { ToolFunnel } from './run/views.js';
import type { Tape } from './tape-format.js';

/** What a query can be asked about its tools. */
export interface ExplainableQuery {
  mcpServerStatus(): Promise<readonly object[]>;
  getContextUsage(): Promise<unknown>;
}

/** A tape, or where it is, a run that was made of one, or a query that runs or has run. */
export type ToolCallSource = string | Tape | Run | ExplainableQuery;

/**
 * Why a tool was called, or was not: every step from its definition to its result, the first that is broken, and how
 * to mend it. `name` may be short: `stock` is `mcp__shop__stock`. A query that nobody records is asked, and tells only
 * of its servers and tools.
 */
export async function explainToolCall(source: ToolCallSource, name: string): Promise<ToolFunnel> {
  if (typeof name !== 'string' || name === '') {
    throw new OptionError(
      'name',
      name,
      'explainToolCall(): `name` must be the name of a tool, such as "stock".',
    );
  }
  const { funnelOfSource } = await import('./funnel-of-source.js');
  return funnelOfSource(source, name);
}
