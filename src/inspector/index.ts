// `tenon/inspect`. Loaded by NODE_OPTIONS="--import tenon/inspect" it records, where TENON_RECORD says; a program that
// imports it gets functions.

import type { ToolCallSource } from '../observe/explain-tool-call.js';
import { recordAsAsked } from '../observe/record-as-asked.js';
import type { ToolFunnel } from '../observe/run/views.js';

export type { ExplainableQuery, ToolCallSource } from '../observe/explain-tool-call.js';
export type { FunnelStep, FunnelStepName, ToolFunnel } from '../observe/run/views.js';
export { type Inspection, type InspectOptions, inspect } from './inspect.js';

/**
 * Why a tool was called, or was not: every step from its definition to its result, the first that is broken, and how
 * to mend it. Of the path of a tape, what `readTape()` has read, or a query; `name` may be short, `stock` for
 * `mcp__shop__stock`.
 */
export async function explainToolCall(source: ToolCallSource, name: string): Promise<ToolFunnel> {
  const { explainToolCall: explain } = await import('../observe/explain-tool-call.js');
  return explain(source, name);
}

recordAsAsked();
