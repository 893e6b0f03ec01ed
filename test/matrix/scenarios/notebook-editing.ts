/** NotebookEdit: cells are replaced, inserted and deleted, and the rest of the notebook stays as it is. */
import { expect } from 'vitest';
import { allowed, details, type FileCall, filesAfterwards, oneByOne } from '../support/file-calls.js';
import { writeFiles } from '../support/files.js';
import type { Scenario } from '../support/scenario.js';

const change = (input: Record<string, unknown>, notebook_path = 'n.ipynb'): FileCall => [
  'NotebookEdit',
  { notebook_path, ...input },
];
const read = (file_path: string): FileCall => ['Read', { file_path }];

/** In the format before 4.5 cells have no ids of their own. */
function notebook(minor: number): string {
  const id = (text: string): object => (minor >= 5 ? { id: text } : {});
  const cells = [
    { cell_type: 'markdown', ...id('m1'), metadata: {}, source: ['# Title\n', 'words'] },
    {
      cell_type: 'code',
      ...id('c1'),
      metadata: { tags: ['kept'] },
      source: ['print(1)'],
      execution_count: 2,
      outputs: [{ output_type: 'stream', name: 'stdout', text: ['1\n'] }],
    },
    { cell_type: 'code', ...id('c2'), metadata: {}, source: 'print(3)', execution_count: null, outputs: [] },
  ];
  const metadata = { language_info: { name: 'python' } };
  return JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: minor }, null, 1);
}

export const notebookEditing: readonly Scenario[] = [
  {
    name: 'NotebookEdit replaces, inserts and deletes cells',
    cites: 'builtin-tools 2, R49',
    script: oneByOne([
      read('n.ipynb'),
      change({ cell_id: 'c1', new_source: 'print(2)' }),
      change({ cell_id: 'c1', new_source: 'after c1', edit_mode: 'insert', cell_type: 'markdown' }),
      change({ new_source: 'the first', edit_mode: 'insert', cell_type: 'markdown' }),
      change({ cell_id: 'c2', new_source: '', edit_mode: 'delete' }),
      change({ cell_id: 'cell-0', new_source: 'by its place' }),
    ]),
    options: ({ box }) => {
      // Cells that are inserted get no id, which would be another one in every run.
      writeFiles(box.cwd, { 'n.ipynb': notebook(5).replace('"nbformat_minor": 5', '"nbformat_minor": 4') });
      return allowed;
    },
    ...filesAfterwards('n.ipynb'),
    check: (outcome) => {
      const shown = details(outcome);
      expect(shown[1]).toMatchObject({
        new_source: 'print(2)',
        cell_type: 'code',
        language: 'python',
        edit_mode: 'replace',
        cell_id: 'c1',
      });
      const after = String((outcome.driven as Record<string, string>)['n.ipynb']).slice(4);
      expect(JSON.parse(after).cells.map(({ source }: { source: unknown }) => source)).toEqual([
        'by its place',
        ['# Title\n', 'words'],
        'print(2)',
        'after c1',
      ]);
      expect(JSON.parse(after).cells[2]).toMatchObject({ outputs: [], execution_count: null });
    },
  },
  {
    name: 'NotebookEdit of cells without ids',
    cites: 'builtin-tools 2, R49',
    script: oneByOne([
      read('n.ipynb'),
      change({ cell_id: 'cell-1', new_source: 'print(2)' }),
      change({ cell_id: 'cell-0', new_source: 'new', edit_mode: 'insert', cell_type: 'code' }),
      change({ cell_id: 'cell-3', new_source: '', edit_mode: 'delete' }),
      read('crlf.ipynb'),
      change({ cell_id: 'cell-1', new_source: 'print(2)' }, 'crlf.ipynb'),
    ]),
    options: ({ box }) => {
      writeFiles(box.cwd, { 'n.ipynb': notebook(2), 'crlf.ipynb': notebook(2).replaceAll('\n', '\r\n') });
      return allowed;
    },
    ...filesAfterwards('n.ipynb', 'crlf.ipynb'),
    check: (outcome) => {
      expect(details(outcome)[1]).toMatchObject({ cell_id: 'cell-1', edit_mode: 'replace' });
    },
  },
  {
    name: 'NotebookEdit keeps the layout of the file',
    cites: 'builtin-tools 2, R49',
    script: oneByOne([read('n.ipynb'), change({ cell_id: 'c1', new_source: 'print(2)' })]),
    options: ({ box }) => {
      writeFiles(box.cwd, { 'n.ipynb': `${JSON.stringify(JSON.parse(notebook(5)), null, 4)}\n` });
      return allowed;
    },
    ...filesAfterwards('n.ipynb'),
  },
  {
    name: 'NotebookEdit makes another kind of a cell',
    cites: 'builtin-tools 2, R49',
    script: oneByOne([
      read('n.ipynb'),
      change({ cell_id: 'm1', new_source: 'x = 1', cell_type: 'code' }),
      change({ cell_id: 'c1', new_source: '*words*', cell_type: 'markdown' }),
      change({ cell_id: 'c1', new_source: '', edit_mode: 'delete' }),
    ]),
    options: ({ box }) => {
      writeFiles(box.cwd, { 'n.ipynb': notebook(5) });
      return allowed;
    },
    ...filesAfterwards('n.ipynb'),
  },
  {
    name: 'NotebookEdit refuses what makes no sense',
    cites: 'builtin-tools 1, builtin-tools 2, R49',
    script: oneByOne([
      change({ cell_id: 'c1', new_source: 'x' }),
      read('n.ipynb'),
      change({ cell_id: 'nosuch', new_source: 'x' }),
      change({ cell_id: 'cell-9', new_source: 'x' }),
      change({ new_source: 'x' }),
      change({ new_source: 'x', edit_mode: 'insert' }),
      change({ new_source: 'x', edit_mode: 'delete' }),
      change({ cell_id: 'c1', new_source: 'x', edit_mode: 'turn' }),
      change({ cell_id: 'c1', new_source: 'x', cell_type: 'raw' }),
      change({ cell_id: 'c1' }),
      change({ cell_id: 'c1', new_source: 'x' }, 'missing.ipynb'),
      change({ cell_id: 'c1', new_source: 'x' }, 'a.txt'),
      read('broken.ipynb'),
      change({ cell_id: 'c1', new_source: 'x' }, 'broken.ipynb'),
    ]),
    options: ({ box }) => {
      writeFiles(box.cwd, { 'n.ipynb': notebook(5), 'a.txt': 'a', 'broken.ipynb': '{"cells"' });
      return allowed;
    },
    ...filesAfterwards('n.ipynb', 'a.txt', 'broken.ipynb'),
    check: (outcome) => {
      expect(outcome.driven).toMatchObject({ 'n.ipynb': `644 ${notebook(5)}` });
    },
  },
];
