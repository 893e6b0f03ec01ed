/** Agents of files: what their heads mean, and which are left out. */
import { describe, expect, it } from 'vitest';
import { FolderReader } from '../../../src/runtime/knowledge/read-prompts.js';
import { readAgents } from '../../../src/runtime/subagents/agent-files.js';

/** The agents of one file, and the warnings about it. */
async function read(text: string, source: 'user' | 'project' | 'plugin' = 'project', isTrusted = false) {
  const warnings: string[] = [];
  const warn = (warning: string): void => void warnings.push(warning);
  const files = {
    read: async () => ({ text, real: '/p/agents/a.md' }),
    list: async () => [{ name: 'a.md', isDirectory: false }],
  };
  const places = {
    cwd: '/p',
    projectRoot: '/p',
    additionalDirectories: [],
    pluginDirectories: [],
    sources: new Set<never>(),
    isTrusted,
    mayImportAnything: false,
  };
  const plugin = source === 'plugin' ? 'plug' : undefined;
  const agents = await readAgents(
    { path: '/p', files, source, plugin },
    { reader: new FolderReader(places, warn), isTrusted, warn },
  );
  return { agent: agents[0], warnings };
}

const file = (head: string): string => `---\nname: a\ndescription: d\n${head}\n---\nThe prompt.\n`;

describe('an agent of a file', () => {
  it('R52: has what its head says', async () => {
    const head =
      'tools: Read, Bash(git log:*)\ndisallowedTools: [Write]\nmodel: haiku\nmaxTurns: 3\nbackground: true';
    const { agent, warnings } = await read(file(head));
    expect(agent).toMatchObject({
      name: 'a',
      prompt: 'The prompt.',
      tools: ['Read', 'Bash(git log:*)'],
      disallowedTools: ['Write'],
      model: 'haiku',
      maxTurns: 3,
      background: true,
    });
    expect(warnings).toEqual([]);
  });

  it('R52: has no tools if it says so, and all if it says nothing', async () => {
    expect((await read(file('tools: []'))).agent?.tools).toEqual([]);
    expect((await read(file('color: red'))).agent?.tools).toBeUndefined();
  });

  it('R52: of a plugin has its name before its own', async () => {
    expect((await read(file('model: opus'), 'plugin')).agent?.name).toBe('plug:a');
  });

  it.each([
    ['no name', '---\ndescription: d\n---\nP', /no `name`/],
    ['no description', '---\nname: a\n---\nP', /no `description`/],
    ['hooks, which could say no', file('hooks:\n  PreToolUse: []'), /`hooks`/],
    ['servers of its own', file('mcpServers:\n  - s:\n      command: x'), /`mcpServers`/],
    ['a limit that is none', file('maxTurns: many'), /`maxTurns` must be a whole number above 0; it is many/],
    ['a mode that there is not', file('permissionMode: reckless'), /"reckless" is none of/],
  ])('R52: is left out with %s', async (_, text, warning) => {
    const { agent, warnings } = await read(text);
    expect(agent).toBeUndefined();
    expect(warnings).toEqual([expect.stringMatching(warning)]);
  });

  it.each([
    ['user', false, 'acceptEdits'],
    ['project', true, 'acceptEdits'],
    ['project', false, undefined],
    ['plugin', true, undefined],
  ] as const)('R52, R71: of a %s (trusted: %s) may be in the mode %s', async (source, isTrusted, mode) => {
    const { agent, warnings } = await read(file('permissionMode: acceptEdits'), source, isTrusted);
    expect(agent?.permissionMode).toBe(mode);
    expect(warnings).toHaveLength(mode === undefined ? 1 : 0);
  });

  it('R52: may always restrict itself', async () => {
    expect((await read(file('permissionMode: plan'))).agent?.permissionMode).toBe('plan');
  });
});
