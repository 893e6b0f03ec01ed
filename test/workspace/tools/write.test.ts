import { chmod, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { localWorkspace } from '../../../src/workspace/adapters/local.js';
import { memoryWorkspace } from '../../../src/workspace/adapters/memory.js';
import { textAt, toolsOn } from './support.js';

describe('R49: Write', () => {
  it('makes a file and the directories above it', async () => {
    const workspace = memoryWorkspace();
    const outcome = await toolsOn(workspace).call('Write', { file_path: 'n/e/w.txt', content: 'hello\n' });
    expect(await textAt(workspace, 'n/e/w.txt')).toBe('hello\n');
    expect(outcome.detail).toEqual({
      type: 'create',
      filePath: 'n/e/w.txt',
      content: 'hello\n',
      structuredPatch: [],
      originalFile: null,
      userModified: false,
    });
  });

  it('replaces a file, and tells the host what has changed', async () => {
    const workspace = memoryWorkspace({ 'a.txt': 'old\r\nsame\r\n' });
    const outcome = await toolsOn(workspace).call('Write', { file_path: 'a.txt', content: 'new\nsame\n' });
    expect(outcome.detail).toEqual({
      type: 'update',
      filePath: 'a.txt',
      content: 'new\nsame\n',
      structuredPatch: [
        { oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines: ['-old', '+new', ' same'] },
      ],
      originalFile: 'old\nsame\n',
      userModified: false,
    });
  });

  it('has no patch if nothing changes', async () => {
    const workspace = memoryWorkspace({ 'a.txt': 'same\n' });
    const outcome = await toolsOn(workspace).call('Write', { file_path: 'a.txt', content: 'same\n' });
    expect(outcome.detail).toMatchObject({ type: 'update', structuredPatch: [] });
  });

  it('keeps a byte-order mark and the encoding', async () => {
    const utf16 = (text: string) => new Uint8Array(Buffer.from(`\uFEFF${text}`, 'utf16le'));
    const workspace = memoryWorkspace({ 'a.txt': '\uFEFFone\n', 'b.txt': utf16('one\n') });
    const { call } = toolsOn(workspace);
    await call('Write', { file_path: 'a.txt', content: 'two\n' });
    await call('Write', { file_path: 'b.txt', content: 'two\n' });
    expect(await textAt(workspace, 'a.txt')).toBe('\uFEFFtwo\n');
    expect(await workspace.read(`${workspace.root}/b.txt`)).toEqual(utf16('two\n'));
  });

  it('is refused for a directory, below a file, for a notebook that was not read, and outside', async () => {
    const workspace = memoryWorkspace({ 'sub/a.txt': 'a', 'n.ipynb': '{}', '/else/b.txt': 'b' });
    const refusal = async (file_path: string) =>
      (await toolsOn(workspace).call('Write', { file_path, content: 'x' })).refused;
    expect(await refusal('sub')).toMatch(/is a directory/);
    expect(await refusal('sub/a.txt/b/c.txt')).toMatch(/a\.txt is a file/);
    expect(await refusal('n.ipynb')).toMatch(/was not read/);
    expect(await refusal('/else/b.txt')).toMatch(/was not read/);
    expect(await refusal('/else/new.txt')).toBeUndefined();
  });

  it('does not replace what is no text', async () => {
    const workspace = memoryWorkspace({ 'a.dat': new Uint8Array([1, 0, 2]) });
    const outcome = await toolsOn(workspace).call('Write', { file_path: 'a.dat', content: 'x' });
    expect(outcome).toMatchObject({ isError: true, content: expect.stringContaining('Nothing was written') });
    expect(await workspace.read(`${workspace.root}/a.dat`)).toEqual(new Uint8Array([1, 0, 2]));
  });
});

describe('R49: in a folder of this machine', () => {
  async function folder() {
    const path = await mkdtemp(join(tmpdir(), 'tenon-files-'));
    onTestFinished(() => rm(path, { recursive: true, force: true }));
    return { path, tools: toolsOn(localWorkspace(path)) };
  }

  it('Edit and Write keep the mode of a file', async () => {
    const { path, tools } = await folder();
    const script = join(path, 'run.sh');
    await writeFile(script, 'echo hi\n');
    await chmod(script, 0o755);
    await tools.call('Edit', { file_path: script, old_string: 'hi', new_string: 'ho' });
    expect((await stat(script)).mode & 0o777).toBe(0o755);
    await tools.call('Write', { file_path: script, content: 'ls\n' });
    expect((await stat(script)).mode & 0o777).toBe(0o755);
    expect(await readFile(script, 'utf8')).toBe('ls\n');
  });

  it('what was decided about is what is changed, wherever a link leads by then', async () => {
    const { path, tools } = await folder();
    await writeFile(join(path, 'a.txt'), 'a\n');
    await writeFile(join(path, 'b.txt'), 'a\n');
    await symlink('a.txt', join(path, 'link.txt'));
    const edit = await tools.find('Edit');
    const input = { file_path: 'link.txt', old_string: 'a', new_string: 'x' };
    const { access } = (await edit.prepare?.(input)) ?? {};
    expect(access).toMatchObject({
      path: expect.stringMatching(/link\.txt$/),
      real: expect.stringMatching(/a\.txt$/),
    });
    await rm(join(path, 'link.txt'));
    await symlink('b.txt', join(path, 'link.txt'));
    await edit.run({ toolUseId: 't', input, access, signal: new AbortController().signal });
    expect(await readFile(join(path, 'a.txt'), 'utf8')).toBe('x\n');
    expect(await readFile(join(path, 'b.txt'), 'utf8')).toBe('a\n');
  });
});
