/** R26: which of several definitions wins, for every combination of places, as the guide's table says it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configFiles, MCP_PLACES, type McpPlace } from '../../src/config/places.js';
import { filesFor, resolveFrom } from '../../src/config/resolve-mcp-config.js';
import { sandbox } from '../support/real-cli.js';

const guide = readFileSync(new URL('../../docs/guide/mcp-servers.md', import.meta.url), 'utf8');

/** The rows of the guide's table of places: `| 2 | \`local\` | files |`. */
const documented = [...guide.matchAll(/^\| (\d) \| `(\w+)` \| (.+?) \|/gm)].map(
  ([, rank, place, where = '']) => ({
    rank: Number(rank),
    place: place as McpPlace,
    files: [...where.matchAll(/`([^`]+\.json)`/g)].map(([, file = '']) => file),
  }),
);

function layout() {
  const box = sandbox();
  const root = join(box.home, 'project');
  const cwd = join(root, 'packages', 'one');
  mkdirSync(cwd, { recursive: true });
  execFileSync('git', ['init', '-q'], { cwd: root });
  const etc = join(box.home, 'etc');
  const env = { HOME: box.home };
  const real = (file: string): string =>
    file
      .replace(/^<cwd>/, cwd)
      .replace(/^<root>/, root)
      .replace(/^~/, box.home)
      .replace(/^\/etc/, etc);
  return { box, root, cwd, etc, env, real };
}

function write(path: string, content: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(content));
}

describe('the places of a server (R26)', () => {
  it('are those of the guide, in its order, file by file', async () => {
    const { box, root, cwd, etc, env, real } = layout();
    await using _ = box;
    expect(documented.map(({ place }) => place)).toEqual(MCP_PLACES);
    expect(documented.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5]);
    const files = configFiles({ cwd, env, systemRoot: etc }).map(({ place, path }) => `${place} ${path}`);
    const told = documented.flatMap(({ place, files: each }) => each.map((file) => `${place} ${real(file)}`));
    // The guide names the first and the last of the directories between the working directory and the top.
    const inside = files.filter(
      (line) =>
        !line.endsWith('.mcp.json') ||
        [cwd, root].some((each) => line === `project ${join(each, '.mcp.json')}`),
    );
    expect(inside).toEqual(told);
  });

  const combinations = Array.from({ length: 2 ** MCP_PLACES.length - 1 }, (_, index) =>
    MCP_PLACES.filter((_place, bit) => ((index + 1) >> bit) & 1),
  );

  it.each(combinations.map((places) => [places.join(' + '), places] as const))(
    'with a server in %s: the first of them wins',
    async (_name, places) => {
      const { box, cwd, etc, env, real } = layout();
      await using _ = box;
      const commandOf = (place: string, file = '') => ({ command: `${place} ${file}` });
      for (const { place, files } of documented) {
        if (!places.includes(place)) continue;
        for (const file of files) {
          const servers = { same: commandOf(place, file), [`only-${file}`]: commandOf(place, file) };
          merge(
            real(file),
            file.endsWith('.claude.json') ? place : 'file',
            servers,
            join(box.home, 'project'),
          );
        }
      }
      const mcpServers = places.includes('options') ? { same: commandOf('options') } : {};
      const options = { cwd, env, mcpServers };
      const { servers, problems } = resolveFrom(options, filesFor(options, { systemRoot: etc }));
      expect(problems).toEqual([]);
      const winner = documented.find(({ place }) => places.includes(place));
      expect(servers.same?.origin.place).toBe(winner?.place);
      const expected = commandOf(winner?.place ?? '', winner?.files[0] ?? '');
      expect(servers.same?.config).toMatchObject({ command: expected.command });
      // Nothing else is lost: every file's own server is there, with its place.
      const losers = documented.flatMap(({ place, files }) => (places.includes(place) ? files : []));
      for (const file of losers) expect(servers, file).toHaveProperty([`only-${file}`]);
      const definitions = documented
        .filter(({ place }) => places.includes(place))
        .flatMap(({ files }) => files).length;
      expect(servers.same?.shadows).toHaveLength(definitions - (winner?.place === 'options' ? 0 : 1));
    },
  );

  it('are read as `settingSources` says; the policy always, nothing with `strictMcpConfig` or `hermetic`', async () => {
    const { box, cwd, etc, env } = layout();
    await using _ = box;
    const placesOf = (options: object) => [
      ...new Set(filesFor({ cwd, env, ...options }, { systemRoot: etc }).map(({ place }) => place)),
    ];
    expect(placesOf({})).toEqual(['local', 'project', 'user', 'policy']);
    expect(placesOf({ settingSources: ['user'] })).toEqual(['user', 'policy']);
    expect(placesOf({ settingSources: ['project', 'local'] })).toEqual(['local', 'project', 'policy']);
    expect(placesOf({ settingSources: [] })).toEqual(['policy']);
    expect(placesOf({ strictMcpConfig: true })).toEqual([]);
    expect(placesOf({ hermetic: true })).toEqual([]);
  });

  it('of the user follow CLAUDE_CONFIG_DIR', async () => {
    const { box, cwd } = layout();
    await using _ = box;
    const files = configFiles({ cwd, env: { HOME: '/nowhere', CLAUDE_CONFIG_DIR: box.configDir } });
    const user = files.filter(({ place }) => place === 'user').map(({ path }) => path);
    expect(user).toEqual([join(box.configDir, 'mcp.json'), join(box.configDir, '.claude.json')]);
  });
});

/** The CLI's own file has the servers of two places. */
function merge(path: string, kind: string, servers: object, root: string): void {
  let before: Record<string, unknown> = {};
  try {
    before = JSON.parse(readFileSync(path, 'utf8'));
  } catch {}
  write(
    path,
    kind === 'local'
      ? { ...before, projects: { [root]: { mcpServers: servers } } }
      : { ...before, mcpServers: servers },
  );
}
