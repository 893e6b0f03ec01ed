/** What the Claude Code CLI says of calls: which of them it lets run without asking. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { query } from '../../../src/index.js';
import { scriptedMessagesApi, text, toolUses } from '../../../src/testing/index.js';
import { writeFiles } from '../../matrix/support/files.js';
import { cliPath, collect, sandbox } from '../../support/real-cli.js';
import type { HostileCall, HostileSet } from './hostile.js';

/** Calls in one answer of the model. */
const AT_ONCE = 40;

/** The calls that run, of those in a set. No program is found by its name, so that little happens if one does. */
export async function letRun({ calls, allow, deny, mode = 'default' }: HostileSet): Promise<HostileCall[]> {
  await using box = sandbox();
  const out = join(box.cwd, '../out');
  const none = join(box.cwd, '../none');
  mkdirSync(none);
  writeFiles(box.cwd, TREE);
  writeFiles(out, { 'o.txt': 'o\n' });
  writeFiles(box.home, { 'h.txt': 'h\n', '.ssh/id': 'i\n' });
  for (const [name, target] of [
    ['outlink', out],
    ['doclink', join(box.cwd, 'docs')],
    ['innocent.txt', join(box.cwd, 'secret/s.txt')],
    ['passwords', '/etc/passwd'],
    ['dangling', join(out, 'new.txt')],
  ] as const)
    symlinkSync(target, join(box.cwd, name));
  const at = (words: string): string =>
    words.replaceAll('@cwd', box.cwd).replaceAll('@out', out).replaceAll('@home', box.home);
  const steps = [];
  for (let index = 0; index < calls.length; index += AT_ONCE)
    steps.push(toolUses(calls.slice(index, index + AT_ONCE).map((call) => asUse(call, at))));
  await using api = await scriptedMessagesApi([...steps, text('done')]);
  const options = {
    pathToClaudeCodeExecutable: cliPath,
    cwd: box.cwd,
    env: box.env(api, { PATH: none, SHELL: '/bin/bash' }),
    tools: ['Bash', 'Read', 'Write', 'Grep', 'Glob'],
    allowedTools: [...allow],
    disallowedTools: [...deny],
    permissionMode: mode,
    canUseTool: async () => ({ behavior: 'deny', message: 'no' }) as const,
  };
  const { messages, error } = await collect(query({ prompt: 'go', options }));
  if (error !== undefined) throw error;
  const order = messages.flatMap((message) => (message.type === 'assistant' ? usesIn(message) : []));
  const accepted = new Set(
    JSON.stringify(messages).match(/"id":"toolu_\w+","permission_decision":\{"decision":"accept"/g),
  );
  return calls.filter((_, index) =>
    accepted.has(`"id":"${order[index]}","permission_decision":{"decision":"accept"`),
  );
}

const TREE = {
  'a.txt': 'a\n',
  'b.txt': 'b\n',
  '.env': 'X=1\n',
  'docs/d.md': 'd\n',
  'docs/sub/e.md': 'e\n',
  'secret/s.txt': 's\n',
  'src/secret/x.txt': 'x\n',
  '.git/config': '[core]\n',
};

function asUse(
  call: HostileCall,
  at: (text: string) => string,
): { name: string; input: Record<string, string> } {
  if (typeof call === 'string') return { name: 'Bash', input: { command: at(call), description: 'Run it' } };
  const [name, path] = call;
  if (name === 'Read') return { name, input: { file_path: at(path) } };
  if (name === 'Write') return { name, input: { file_path: at(path), content: 'x' } };
  return { name, input: { pattern: '*', path: at(path) } };
}

function usesIn({ message }: { message: { content: unknown } }): string[] {
  const blocks = Array.isArray(message.content) ? message.content : [];
  return blocks.flatMap(({ type, id }) => (type === 'tool_use' ? [String(id)] : []));
}
