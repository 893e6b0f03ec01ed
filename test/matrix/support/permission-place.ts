/** A workspace with files, links and a neighbour, and a host that notes what it is asked. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { CanUseTool, PermissionResult } from '../../../src/index.js';
import { type ScriptStep, toolUse } from '../../../src/testing/index.js';
import { writeFiles } from './files.js';
import type { Context, Outcome } from './scenario.js';

export const write = (file_path: string, content = 'new\n'): ScriptStep =>
  toolUse('Write', { file_path, content });
export const edit = (file_path: string, old_string = 'one'): ScriptStep =>
  toolUse('Edit', { file_path, old_string, new_string: 'two' });
export const read = (file_path: string): ScriptStep => toolUse('Read', { file_path });
export const bash = (command: string): ScriptStep => toolUse('Bash', { command, description: 'Run it' });

/** Beside the workspace, so outside of it. */
export function outside({ box }: Context): string {
  return join(box.cwd, '..', 'out');
}

/** Makes the workspace. `outlink` and `leak.txt` lead out of it, `innocent.txt` to what is secret. */
export function furnish(context: Context, more: Readonly<Record<string, string>> = {}): void {
  const { cwd } = context.box;
  const out = outside(context);
  writeFiles(cwd, {
    'a.txt': 'one\n',
    'b.txt': 'one\n',
    'docs/d.md': 'one\n',
    'secret/s.txt': 'one\n',
    '.git/config': '[core]\n',
    ...more,
  });
  writeFiles(out, { 'o.txt': 'one\n' });
  mkdirSync(join(cwd, 'empty'));
  symlinkSync(out, join(cwd, 'outlink'));
  symlinkSync(join(out, 'o.txt'), join(cwd, 'leak.txt'));
  symlinkSync(join(cwd, 'secret/s.txt'), join(cwd, 'innocent.txt'));
}

type Answer = (input: Record<string, unknown>, extra: Parameters<CanUseTool>[2]) => PermissionResult;

export const no: Answer = () => ({ behavior: 'deny', message: 'no' });
export const yes: Answer = (input) => ({ behavior: 'allow', updatedInput: input });

/** Notes what it is asked, and answers. */
export function asked(context: Context, answer: Answer = no): CanUseTool {
  return (tool, input, extra) => {
    const { signal: _, requestId: __, ...told } = extra;
    context.note(tool, { ...input, ...told });
    return Promise.resolve(answer(input, extra));
  };
}

/** What the host was asked about: the command or the path. */
export function questions({ calls }: Outcome): string[] {
  return calls.map(({ input }) => {
    const { command, file_path, path } = input as Record<string, string | undefined>;
    return command ?? file_path ?? path ?? '';
  });
}

/** Per call, in order: whether it ran. */
export function whatRan({ messages }: Outcome): boolean[] {
  return messages.flatMap((message) => {
    if (message.type !== 'user' || !Array.isArray(message.message.content)) return [];
    return message.message.content.flatMap((block) =>
      block.type === 'tool_result' ? [block.is_error !== true] : [],
    );
  });
}
