/** The version of a CLI is read from where it lies: a wrong one would put options where that CLI does not look. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { versionOf } from '../../src/client/launch/cli-versions.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tenon-version-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function put(path: string, content: object | string = ''): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

const claudeCode = (version: string) => ({ name: '@anthropic-ai/claude-code', version });

describe('the version is known of', () => {
  it('a script, from its package, also through a link of another name', () => {
    const script = put('claude-code/cli.js');
    put('claude-code/package.json', claudeCode('2.0.14'));
    symlinkSync(script, join(root, 'claude'));
    expect(versionOf(script)).toBe('2.0.14');
    expect(versionOf(join(root, 'claude'))).toBe('2.0.14');
  });

  it('a native program, from its platform package or the package above `bin`', () => {
    put('platform/package.json', { name: '@anthropic-ai/claude-code-linux-x64', version: '2.1.140' });
    put('main/package.json', claudeCode('2.1.141'));
    expect(versionOf(put('platform/claude'))).toBe('2.1.140');
    expect(versionOf(put('main/bin/claude.exe'))).toBe('2.1.141');
  });

  it.each([
    ['0.1.30', undefined, '2.0.30'],
    ['0.2.50', undefined, '2.1.50'],
    ['0.3.325', undefined, '2.1.325'],
    ['0.3.7', '2.1.9', '2.1.9'],
  ])('a CLI in version %s of the official SDK that calls it %s', (version, claudeCodeVersion, expected) => {
    put('sdk/package.json', { name: '@anthropic-ai/claude-agent-sdk', version, claudeCodeVersion });
    expect(versionOf(put('sdk/cli.js'))).toBe(expected);
  });

  it('a program that an installer keeps under its version', () => {
    const program = put('share/claude/versions/2.0.76');
    symlinkSync(program, join(root, 'claude'));
    expect(versionOf(join(root, 'claude'))).toBe('2.0.76');
    expect(versionOf(put('Caskroom/claude-code/2.1.20/claude'))).toBe('2.1.20');
  });

  it('scripts that start the CLI of a package: its local installation, and pnpm', () => {
    put('local/package.json', { name: 'claude-local', version: '0.0.1' });
    put('local/node_modules/@anthropic-ai/claude-code/package.json', claudeCode('1.0.100'));
    put('project/node_modules/@anthropic-ai/claude-code/package.json', claudeCode('2.0.1'));
    expect(versionOf(put('local/claude'))).toBe('1.0.100');
    expect(versionOf(put('project/node_modules/.bin/claude'))).toBe('2.0.1');
  });
});

describe('the version is not known of', () => {
  it.each([
    ['a script of another package', { name: 'other', version: '1.0.0' }],
    ['a package without a version', { name: '@anthropic-ai/claude-code' }],
    [
      'an official SDK of a numbering that nobody knows',
      { name: '@anthropic-ai/claude-agent-sdk', version: '7' },
    ],
    ['a broken package', 'no JSON'],
  ])('%s', (_, manifest) => {
    put('package/package.json', manifest);
    expect(versionOf(put('package/cli.js'))).toBeUndefined();
  });

  it('a program that stands alone, and one that is not there', () => {
    expect(versionOf(put('bin/claude'))).toBeUndefined();
    expect(versionOf(join(root, 'nowhere', 'cli.js'))).toBeUndefined();
  });
});
