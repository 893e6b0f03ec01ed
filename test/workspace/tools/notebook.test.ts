import { describe, expect, it } from 'vitest';
import { memoryWorkspace } from '../../../src/workspace/adapters/memory.js';
import { textAt, toolsOn } from './support.js';

const code = { cell_type: 'code', id: 'c1', source: ['print(1)\n', 'x'], metadata: {}, execution_count: 3 };
const notebook = (minor = 5) => ({
  cells: [
    { ...code, outputs: [{ output_type: 'stream', name: 'stdout', text: ['1\n'] }] },
    { cell_type: 'markdown', id: 'm1', source: '# hi', metadata: {} },
    { cell_type: 'code', source: 'y', metadata: {}, execution_count: null, outputs: [] },
  ],
  metadata: { language_info: { name: 'python' } },
  nbformat: 4,
  nbformat_minor: minor,
});

async function started(text = JSON.stringify(notebook(), null, 1)) {
  const workspace = memoryWorkspace({ 'n.ipynb': text });
  const { call } = toolsOn(workspace);
  const read = await call('Read', { file_path: 'n.ipynb' });
  const edit = (input: Record<string, unknown>) =>
    call('NotebookEdit', { notebook_path: 'n.ipynb', ...input });
  const cells = async () => JSON.parse(await textAt(workspace, 'n.ipynb')).cells as Record<string, unknown>[];
  return { workspace, call, read, edit, cells };
}

describe('R49: Read of a notebook', () => {
  it('shows its cells with their ids, and their outputs', async () => {
    const { read } = await started();
    expect(read.detail).toEqual({
      type: 'notebook',
      file: {
        filePath: 'n.ipynb',
        cells: [
          {
            cellType: 'code',
            source: 'print(1)\nx',
            execution_count: 3,
            cell_id: 'c1',
            language: 'python',
            outputs: [{ output_type: 'stream', text: '1\n' }],
          },
          { cellType: 'markdown', source: '# hi', cell_id: 'm1' },
          { cellType: 'code', source: 'y', cell_id: 'cell-2', language: 'python' },
        ],
      },
    });
    expect(read.content).toEqual([
      {
        type: 'text',
        text: [
          '<cell id="c1">print(1)\nx</cell id="c1">',
          '\n1\n',
          '<cell id="m1"><cell_type>markdown</cell_type># hi</cell id="m1">',
          '<cell id="cell-2">y</cell id="cell-2">',
        ].join('\n'),
      },
    ]);
  });

  it('shows images and errors among the outputs', async () => {
    const outputs = [
      { output_type: 'display_data', data: { 'text/plain': ['42'], 'image/png': 'QUJD\n' } },
      { output_type: 'error', ename: 'E', evalue: 'bad', traceback: ['t1', 't2'] },
    ];
    const { read } = await started(JSON.stringify({ cells: [{ ...code, outputs }] }));
    expect(read.content).toMatchObject([
      { type: 'text' },
      { type: 'image', source: { data: 'QUJD', media_type: 'image/png' } },
      { type: 'text', text: '\nE: bad\nt1\nt2' },
    ]);
  });

  it('is an error if it is damaged or too large', async () => {
    expect((await started('{nope')).read.content).toMatch(/not valid JSON/);
    expect((await started('{"cells":[1]}')).read.content).toMatch(/no list of cells/);
    const long = { cells: [{ cell_type: 'markdown', source: 'x'.repeat(120_000) }] };
    expect((await started(JSON.stringify(long))).read.content).toMatch(/about 300\d\d tokens/);
  });
});

describe('R49: NotebookEdit', () => {
  it('replaces the source of a cell and clears its outputs', async () => {
    const { edit, cells } = await started();
    const { detail } = await edit({ cell_id: 'c1', new_source: 'print(2)' });
    expect((await cells())[0]).toEqual({ ...code, source: 'print(2)', execution_count: null, outputs: [] });
    expect(detail).toMatchObject({
      new_source: 'print(2)',
      old_source: 'print(1)\nx',
      cell_type: 'code',
      language: 'python',
      edit_mode: 'replace',
      cell_id: 'c1',
      error: '',
      notebook_path: '/workspace/n.ipynb',
      original_file: expect.stringContaining('print(1)'),
      updated_file: expect.stringContaining('print(2)'),
    });
  });

  it('inserts after a cell, or at the beginning, with an id where notebooks have them', async () => {
    const { edit, cells } = await started();
    const after = await edit({
      cell_id: 'c1',
      new_source: 'new',
      edit_mode: 'insert',
      cell_type: 'markdown',
    });
    await edit({ new_source: 'first', edit_mode: 'insert', cell_type: 'code' });
    const all = await cells();
    expect(all.map(({ source }) => source)).toEqual(['first', code.source, 'new', '# hi', 'y']);
    expect(after.detail).toMatchObject({ cell_id: all[2]?.id, cell_type: 'markdown' });
    expect(all[2]?.id).toMatch(/^[0-9a-f]{8}$/);
    const older = await started(JSON.stringify(notebook(4)));
    const { detail } = await older.edit({ new_source: 'x', edit_mode: 'insert', cell_type: 'code' });
    expect(detail).not.toHaveProperty('cell_id');
  });

  it('deletes a cell, finds one by its place, and makes text of code', async () => {
    const { edit, cells } = await started();
    await edit({ cell_id: 'm1', new_source: '', edit_mode: 'delete' });
    await edit({ cell_id: 'cell-1', new_source: 'z' });
    await edit({ cell_id: 'c1', new_source: 'text', cell_type: 'markdown' });
    expect(await cells()).toEqual([
      { cell_type: 'markdown', id: 'c1', source: 'text', metadata: {} },
      { cell_type: 'code', source: 'z', metadata: {}, execution_count: null, outputs: [] },
    ]);
  });

  it('keeps indentation, line ends and the last line end', async () => {
    const text = `${JSON.stringify(notebook(), null, '\t').replaceAll('\n', '\r\n')}\r\n`;
    const { edit, workspace } = await started(text);
    await edit({ cell_id: 'm1', new_source: '# ho' });
    expect(await textAt(workspace, 'n.ipynb')).toBe(text.replace('# hi', '# ho'));
  });

  it.each([
    [{ cell_id: 'nope', new_source: 'z' }, /no cell "nope"/],
    [{ cell_id: 'cell-7', new_source: 'z' }, /no cell "cell-7"/],
    [{ new_source: 'z' }, /which cell/],
    [{ new_source: 'z', edit_mode: 'insert' }, /`cell_type`/],
    [
      { cell_id: 'c1', new_source: 'z', edit_mode: 'move' },
      /"replace" or "insert" or "delete", it is "move"/,
    ],
    [{ notebook_path: 'n.txt', cell_id: 'c1', new_source: 'z' }, /Use Edit/],
  ])('refuses %j', async (input, words) => {
    const { edit, workspace } = await started();
    expect((await edit(input)).refused).toMatch(words);
    expect(await textAt(workspace, 'n.ipynb')).toBe(JSON.stringify(notebook(), null, 1));
  });

  it('wants the notebook to be read first, also where any other file could be edited, and again if it has changed', async () => {
    const workspace = memoryWorkspace({ 'n.ipynb': JSON.stringify(notebook()) });
    const { call } = toolsOn(workspace);
    const input = { notebook_path: 'n.ipynb', cell_id: 'c1', new_source: 'z' };
    expect((await call('NotebookEdit', input)).refused).toMatch(/was not read/);
    await call('Read', { file_path: 'n.ipynb' });
    await workspace.write('/workspace/n.ipynb', new TextEncoder().encode(JSON.stringify(notebook(4))));
    expect((await call('NotebookEdit', input)).refused).toMatch(/has changed/);
  });
});
