/** Where the user's files are: every reader gives the same answer, whatever the environment says (R26). */
import { chownSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findClaudeCode } from '../../src/client/launch/find-claude-code.js';
import { configFiles } from '../../src/config/places.js';
import { readWithOwner } from '../../src/config/read-trusted.js';
import { readLayers } from '../../src/config/settings/read-layers.js';
import { configDirectory } from '../../src/protocol/base/user-directories.js';
import { projectsDirectory } from '../../src/sessions/places.js';
import { sandbox } from '../support/real-cli.js';

describe.each<[string, (home: string) => Record<string, string>, string, string]>([
  ['HOME', (home) => ({ HOME: home, USERPROFILE: '/elsewhere' }), '.claude', '.claude.json'],
  ['USERPROFILE', (home) => ({ USERPROFILE: home }), '.claude', '.claude.json'],
  ['CLAUDE_CONFIG_DIR', (home) => ({ HOME: '/elsewhere', CLAUDE_CONFIG_DIR: home }), '', '.claude.json'],
])('with %s', (_, envOf, directory, state) => {
  it('servers, settings and conversations are looked for in one directory (R26)', async () => {
    await using box = sandbox();
    const [env, config] = [envOf(box.home), join(box.home, directory)];
    mkdirSync(config, { recursive: true });
    writeFileSync(join(config, 'settings.json'), '{"model":"m"}');
    const user = configFiles({ cwd: '/', env }).filter(({ place }) => place === 'user');
    expect(user.map(({ path }) => path)).toEqual([join(config, 'mcp.json'), join(box.home, state)]);
    expect(configDirectory(env)).toBe(config);
    expect(projectsDirectory(env)).toBe(join(config, 'projects'));
    const { layers } = readLayers({ cwd: '/', env, settingSources: ['user'] });
    expect(layers.map(({ path }) => path)).toContain(join(config, 'settings.json'));
  });
});

it('without any of them, the user’s files are where the system says (R26)', () => {
  const user = configFiles({ cwd: '/', env: {} }).filter(({ place }) => place === 'user');
  expect(user.map(({ path }) => path)).toContain(join(homedir(), '.claude', 'mcp.json'));
});

it('the CLI is looked for in the home directory that USERPROFILE names (R12)', async () => {
  await using box = sandbox();
  const { tried } = findClaudeCode({ env: { USERPROFILE: box.home, PATH: '' }, cwd: box.cwd });
  const inHome = tried.map(({ path }) => path).filter((path) => path.includes(join('.local', 'bin')));
  expect(inHome).toEqual([expect.stringContaining(box.home)]);
});

it('a file that is neither ours nor root’s is known by its owner (R26)', async () => {
  await using box = sandbox();
  const file = join(box.cwd, 'a.json');
  writeFileSync(file, '{}');
  const { uid } = statSync(file);
  expect(readWithOwner(file)).toEqual({ text: '{}', foreignOwner: undefined });
  expect(readWithOwner(file, uid + 1).foreignOwner).toBe(uid === 0 ? undefined : uid);
  if (uid !== 0) return;
  chownSync(file, 4_711, 4_711);
  expect(readWithOwner(file).foreignOwner).toBe(4_711);
  expect(readWithOwner(file, 4_711).foreignOwner).toBeUndefined();
});
