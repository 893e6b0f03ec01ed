/** Calls of the tools for files among hooks, questions and other calls of the same answer. */
import { expect } from 'vitest';
import type { HookCallback, Options } from '../../../src/index.js';
import { text, toolUse, toolUses } from '../../../src/testing/index.js';
import { results, serverWith, textResult } from '../support/calc.js';
import {
  allowed,
  details,
  FILE_TOOLS,
  type FileCall,
  filesAfterwards,
  oneByOne,
} from '../support/file-calls.js';
import { writeFiles } from '../support/files.js';
import type { Context, Scenario } from '../support/scenario.js';

const read = (file_path: string): FileCall => ['Read', { file_path }];
const write = (file_path: string, content: unknown): FileCall => ['Write', { file_path, content }];
const edit = (file_path: string, old_string: string, new_string: string): FileCall => [
  'Edit',
  { file_path, old_string, new_string },
];

const together = (calls: readonly FileCall[]): Scenario['script'] => [
  toolUses(calls.map(([name, input]) => ({ name, input }))),
  text('Done.'),
];

type Seen = { hook_event_name: string; tool_name: string; tool_input: unknown; tool_response?: unknown };

/** Notes what hooks are told of each call. */
function watching(context: Context): Pick<Options, 'hooks'> {
  const note: HookCallback = (input) => {
    const { hook_event_name: event, tool_name, tool_input } = input as Seen;
    context.note(event, { tool_name, tool_input });
    return Promise.resolve({});
  };
  return { hooks: { PreToolUse: [{ hooks: [note] }], PostToolUse: [{ hooks: [note] }] } };
}

/** An output of the same form with other texts, or one of another form. */
function changed(output: unknown): unknown {
  if (typeof output === 'string') return output.replaceAll('secret', 'hidden');
  if (Array.isArray(output)) return output.map(changed);
  if (typeof output !== 'object' || output === null) return output;
  return Object.fromEntries(Object.entries(output).map(([name, value]) => [name, changed(value)]));
}

const NOTEBOOK = JSON.stringify({
  cells: [{ cell_type: 'code', metadata: {}, source: 'secret', execution_count: null, outputs: [] }],
  metadata: {},
  nbformat: 4,
  nbformat_minor: 2,
});

const SEARCHING = [...FILE_TOOLS, 'Glob', 'Grep'];

function outputs(name: string, output: (given: unknown) => unknown, word: string): Scenario {
  return {
    name,
    cites: 's15-hooks, builtin-tools 4, R49',
    script: oneByOne([
      read('secret.txt'),
      read('secret.ipynb'),
      edit('secret.txt', 'one', 'two'),
      write('other-secret.txt', 'secret'),
      ['NotebookEdit', { notebook_path: 'secret.ipynb', cell_id: 'cell-0', new_source: 'secret too' }],
      ['Glob', { pattern: 'secret*' }],
      ['Grep', { pattern: 'secret', glob: '*.txt' }],
      ['Grep', { pattern: 'secret', path: 'secret.txt', output_mode: 'content' }],
      ['Grep', { pattern: 'secret', path: 'secret.txt', output_mode: 'count' }],
    ]),
    options: ({ box }) => {
      writeFiles(box.cwd, { 'secret.txt': 'secret one\n', 'secret.ipynb': NOTEBOOK });
      const replace: HookCallback = (input) =>
        Promise.resolve({
          hookSpecificOutput: {
            hookEventName: 'PostToolUse',
            updatedToolOutput: output((input as Seen).tool_response),
          },
        });
      return {
        tools: SEARCHING,
        allowedTools: SEARCHING,
        hooks: { PostToolUse: [{ hooks: [replace] }] },
      };
    },
    check: (outcome) => {
      const [first] = outcome.requests[1]?.toolResults ?? [];
      expect(first?.content).toBe(`1\t${word} one\n2\t`);
      expect(details(outcome)[0]).toMatchObject({ file: { content: `${word} one\n` } });
    },
  };
}

export const fileTools: readonly Scenario[] = [
  {
    name: 'hooks see paths and numbers as they are meant',
    cites: 's15-hooks, builtin-tools 1, R49',
    script: oneByOne([
      ['Read', { file_path: 'sub/../a.txt', offset: '1', limit: '3' }],
      ['Edit', { file_path: './a.txt', old_string: 'one', new_string: 'two', replace_all: 'true' }],
      write('~/../work/b.txt', 'x'),
      read('~/none.txt'),
      read('n.ipynb'),
      ['NotebookEdit', { notebook_path: 'n.ipynb', cell_id: 'cell-0', new_source: 'x' }],
      ['Glob', { pattern: '*.txt', path: 'sub' }],
      ['Grep', { pattern: 'a', path: 'sub', head_limit: '3', '-i': 'true' }],
    ]),
    options: (context) => {
      writeFiles(context.box.cwd, { 'a.txt': 'one\n', 'sub/c.txt': 'a\n', 'n.ipynb': NOTEBOOK });
      return { tools: SEARCHING, allowedTools: SEARCHING, ...watching(context) };
    },
    check: (outcome) => {
      const [first] = outcome.calls.map(({ input }) => input as Seen);
      expect(first?.tool_input).toMatchObject({
        file_path: expect.stringMatching(/\/work\/a\.txt$/),
        offset: 1,
      });
      expect(details(outcome)[0]).toMatchObject({ file: { filePath: 'sub/../a.txt' } });
    },
  },
  {
    name: 'questions about files, and answers that change them',
    cites: 's15-permission-asks, builtin-tools 4, R49',
    script: oneByOne([write('same.txt', 'x'), write('other.txt', 'x'), edit('same.txt', 'x', 'y')]),
    options: (context) => ({
      tools: FILE_TOOLS,
      canUseTool: (name, input) => {
        context.note(name, input);
        const { file_path } = input as { file_path: string };
        const updatedInput = { ...input, file_path: file_path.replace('other.txt', 'sub/another.txt') };
        return Promise.resolve({ behavior: 'allow', updatedInput });
      },
    }),
    ...filesAfterwards('same.txt', 'other.txt', 'sub/another.txt'),
    check: (outcome) => {
      expect(outcome.driven).toEqual({
        'same.txt': '644 y',
        'other.txt': null,
        'sub/another.txt': '644 x',
      });
      expect(details(outcome)[0]).toMatchObject({ filePath: 'same.txt' });
    },
  },
  {
    name: 'calls that make no sense reach neither hooks nor questions',
    cites: 's15-write-edit, builtin-tools 1, R49',
    script: oneByOne([
      ['Read', {}],
      read('a.zip'),
      edit('a.txt', 'nosuch', 'x'),
      edit('a.txt', 'a', 'x'),
      edit('missing.txt', 'a', 'x'),
      write('sub', 'x'),
      ['NotebookEdit', { notebook_path: 'a.txt', cell_id: 'c', new_source: '' }],
      ['Write', { file_path: 'b.txt', content: 5 }],
    ]),
    options: (context) => {
      writeFiles(context.box.cwd, { 'a.txt': 'a a\n', 'sub/b.txt': 'b\n' });
      return {
        tools: FILE_TOOLS,
        ...watching(context),
        canUseTool: (name) => {
          context.note('asked', name);
          return Promise.resolve({ behavior: 'deny', message: 'no' });
        },
      };
    },
    check: (outcome) => {
      expect(outcome.calls).toEqual([]);
      expect(details(outcome).every((detail) => typeof detail === 'string')).toBe(true);
    },
  },
  outputs('a hook that changes what tools for files say', changed, 'hidden'),
  outputs('a hook that says something else than tools for files do', () => ({ hidden: true }), 'secret'),
  {
    name: 'reading calls run together, writing ones alone and in order',
    cites: 'builtin-tools 1, R49, R16',
    script: together([
      read('a.txt'),
      read('b.txt'),
      write('c.txt', 'one\n'),
      edit('c.txt', 'one', 'two'),
      read('c.txt'),
      write('d.txt', 'd'),
    ]),
    options: (context) => {
      writeFiles(context.box.cwd, { 'a.txt': 'a\n', 'b.txt': 'b\n' });
      const meet: HookCallback = async (input) => {
        const { tool_name, tool_input } = input as { tool_name: string; tool_input: { file_path: string } };
        const name = tool_input.file_path.slice(-5);
        context.note('begun', name);
        // The first two wait for each other: one after the other they would wait in vain.
        if (tool_name === 'Read' && name !== 'c.txt')
          await context.calls.waitFor(({ name: what }) => what === 'begun', 'the other call', 2);
        return {};
      };
      const part: HookCallback = (input) => {
        context.note(
          'ended',
          (input as { tool_input: { file_path: string } }).tool_input.file_path.slice(-5),
        );
        return Promise.resolve({});
      };
      return {
        ...allowed,
        hooks: { PreToolUse: [{ hooks: [meet] }], PostToolUse: [{ hooks: [part] }] },
      };
    },
    ...filesAfterwards('c.txt', 'd.txt'),
    unordered: ['stdin', 'messages', 'calls'],
    check: (outcome) => {
      const order = outcome.calls.map(({ name, input }) => `${name} ${input}`);
      expect(order.slice(0, 2).toSorted()).toEqual(['begun a.txt', 'begun b.txt']);
      expect(order.slice(4)).toEqual([
        ...['begun c.txt', 'ended c.txt', 'begun c.txt', 'ended c.txt', 'begun c.txt', 'ended c.txt'],
        ...['begun d.txt', 'ended d.txt'],
      ]);
      expect(outcome.driven).toEqual({ 'c.txt': '644 two\n', 'd.txt': '644 d' });
    },
  },
  {
    name: 'a failed call leaves the others of its answer alone',
    cites: 'builtin-tools 1, R49',
    script: together([
      read('missing.txt'),
      edit('a.txt', 'nosuch', 'x'),
      write('sub', 'x'),
      edit('a.txt', 'a', 'b'),
      write('c.txt', 'c'),
    ]),
    options: ({ box }) => {
      writeFiles(box.cwd, { 'a.txt': 'a\n', 'sub/b.txt': 'b\n' });
      return allowed;
    },
    ...filesAfterwards('a.txt', 'c.txt'),
    check: (outcome) => {
      expect(outcome.driven).toEqual({ 'a.txt': '644 b\n', 'c.txt': '644 c' });
      expect(results(outcome)).toMatchObject([{ subtype: 'success', result: 'Done.' }]);
    },
  },
  {
    name: 'relative paths after the shell has gone to another directory',
    cites: 'builtin-tools 2, builtin-tools 3, R49, R50',
    script: oneByOne([
      ['Bash', { command: 'cd sub' }],
      read('b.txt'),
      read('sub/b.txt'),
      edit('b.txt', 'b', 'c'),
      write('n.txt', 'n'),
      ['Glob', { pattern: '*.txt' }],
      ['Grep', { pattern: 'a|c', path: '..' }],
    ]),
    options: ({ box }) => {
      writeFiles(box.cwd, { 'a.txt': 'a\n', 'sub/b.txt': 'b\n' });
      const tools = [...FILE_TOOLS, 'Bash', 'Glob', 'Grep'];
      return { tools, allowedTools: tools };
    },
    ...filesAfterwards('n.txt', 'sub/n.txt', 'sub/b.txt'),
    check: (outcome) => {
      expect(outcome.driven).toEqual({ 'n.txt': null, 'sub/n.txt': '644 n', 'sub/b.txt': '644 c\n' });
      expect(details(outcome)).toMatchObject([
        {},
        { file: { filePath: 'b.txt', content: 'b\n' } },
        expect.stringContaining('Error'),
        { filePath: 'b.txt' },
        { type: 'create', filePath: 'n.txt' },
        { filenames: ['b.txt', 'n.txt'] },
        { filenames: expect.arrayContaining(['b.txt', expect.stringMatching(/^\/.*\/a\.txt$/)]) },
      ]);
    },
  },
  {
    name: 'blanks at the ends of lines, which mean something only in Markdown',
    cites: 'builtin-tools 2, R49',
    script: oneByOne([
      read('a.txt'),
      edit('a.txt', 'a', 'x  \ny\t'),
      write('w.txt', 'x  \n\ty \n  '),
      write('w.md', 'x  \n'),
      edit('w.md', 'x', 'y  \nz '),
    ]),
    options: (context) => {
      writeFiles(context.box.cwd, { 'a.txt': 'a\nb\n' });
      return { ...allowed, ...watching(context) };
    },
    ...filesAfterwards('a.txt', 'w.txt', 'w.md'),
    check: (outcome) => {
      expect(outcome.driven).toEqual({
        'a.txt': '644 x\ny\nb\n',
        'w.txt': '644 x\n\ty\n',
        'w.md': '644 y  \nz   \n',
      });
    },
  },
  {
    name: 'a long result of a server beside the tools for files',
    cites: 's15-mcp-big-result, builtin-tools 7, R49',
    script: [toolUse('mcp__calc__big'), text('Done.')],
    servers: (context) =>
      serverWith(context, 'big', () => textResult(`${'a line of words\n'.repeat(4_000)}needle\n`)),
    options: () => ({ tools: ['Read', 'Grep'], allowedTools: ['Read', 'Grep', 'mcp__calc__big'] }),
    check: (outcome) => expect(JSON.stringify(outcome.requests[1]?.toolResults)).toContain('a line of words'),
  },
];
