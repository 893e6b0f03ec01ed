/** What scenarios about the tools for files have in common. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type ScriptStep, text, toolUse } from '../../../src/testing/index.js';
import type { JsonObject, Outcome, Scenario } from './scenario.js';

/** A call of a tool, as a step of a script. */
export type FileCall = readonly [name: string, input: Record<string, unknown>];

/** One call after the other, then a word. */
export function oneByOne(calls: readonly FileCall[]): ScriptStep[] {
  return [...calls.map(([name, input]) => toolUse(name, input)), text('Done.')];
}

/** What the host is told of each call. */
export function details(outcome: Outcome): (JsonObject | string)[] {
  return outcome.messages.flatMap((message) =>
    message.type === 'user' && message.tool_use_result !== undefined
      ? [message.tool_use_result as JsonObject | string]
      : [],
  );
}

/** The tools for files, all of them allowed. */
export const FILE_TOOLS = ['Read', 'Write', 'Edit', 'NotebookEdit'];
export const allowed = { tools: FILE_TOOLS, allowedTools: FILE_TOOLS } as const satisfies ReturnType<
  NonNullable<Scenario['options']>
>;

/** After the first result: each file as it is then, byte by byte, and its mode. */
export function filesAfterwards(...names: readonly string[]): Pick<Scenario, 'drive'> {
  return {
    drive: async (_, { box, messages }) => {
      await messages.waitFor(({ type }) => type === 'result', 'the result');
      return Object.fromEntries(names.map((name) => [name, fileAt(join(box.cwd, name))]));
    },
  };
}

function fileAt(path: string): string | null {
  if (!existsSync(path)) return null;
  const mode = (statSync(path).mode & 0o777).toString(8);
  return `${mode} ${readFileSync(path).toString('latin1')}`;
}
