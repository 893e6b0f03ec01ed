/** R27, R28: what is wrong with a configuration is said with its file, line, server, field and the shape that was expected. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../src/config/json-lines.js';
import { describeProblem } from '../../src/config/problems.js';
import { type ResolveMcpConfigOptions, resolveMcpConfig } from '../../src/config/resolve-mcp-config.js';
import { McpConfigError, resolveMcpConfig as ofQuery } from '../../src/index.js';
import fc from '../support/property.js';
import { sandbox } from '../support/real-cli.js';

async function resolved(content: string, more: ResolveMcpConfigOptions = {}) {
  await using box = sandbox();
  mkdirSync(join(box.cwd, '.git'));
  writeFileSync(join(box.cwd, '.mcp.json'), content);
  const result = resolveMcpConfig({ cwd: box.cwd, env: { HOME: box.home, SET: 'value' }, ...more });
  const said = result.problems.map((problem) => describeProblem(problem).replaceAll(box.cwd, '<cwd>'));
  return { ...result, said };
}

describe('a file', () => {
  it.each([
    [
      'that is no JSON',
      '{\n  "mcpServers": {\n    "a": { "command": "x", }\n  }\n}',
      '<cwd>/.mcp.json:3: not valid JSON: Expected a key in double quotes, found "}" at line 3, column 28',
    ],
    [
      'that ends too early',
      '{ "mcpServers": {',
      '<cwd>/.mcp.json:1: not valid JSON: Expected a key in double quotes, found the end of the file at line 1, column 18',
    ],
    [
      'with a comment',
      '{\n// servers\n}',
      '<cwd>/.mcp.json:2: not valid JSON: Expected a key in double quotes, found "/" at line 2, column 1',
    ],
    [
      'without servers',
      '{}',
      '<cwd>/.mcp.json:1: `mcpServers` is missing. Expected { "mcpServers": { "<name>": { "command": "…" } } }',
    ],
    [
      'with a list of servers',
      '{\n  "mcpServers": []\n}',
      '<cwd>/.mcp.json:2: Expected { "mcpServers": { "<name>": { "command": "…" } } }',
    ],
    [
      'with a key that is not known',
      '{\n  "mcpServers": {},\n  "servers": {}\n}',
      '<cwd>/.mcp.json:3: the key `servers` is unknown and ignored; a file for MCP servers has only `mcpServers`',
    ],
    [
      'with one name twice (R32)',
      '{ "mcpServers": {\n  "a": { "command": "x" },\n  "a": { "command": "y" }\n} }',
      '<cwd>/.mcp.json:3: two servers are called "a"; the last one counts',
    ],
  ])('%s', async (_, content, expected) => {
    expect((await resolved(content)).said).toEqual([expected]);
  });

  it('with a byte order mark is read', async () => {
    const { said, servers } = await resolved('\uFEFF{ "mcpServers": { "a": { "command": "x" } } }');
    expect(said).toEqual([]);
    expect(servers.a?.origin).toMatchObject({ place: 'project', line: 1 });
  });
});

describe('the entry of a server', () => {
  const STDIO =
    'Expected { "command": "…", "args"?: ["…"], "env"?: { "NAME": "…" }, "timeout"?: ms, "alwaysLoad"?: true }';
  it.each([
    ['is no object', '"npx"', 'the server "a": must be an object; it is a string'],
    ['has nothing in it', '{}', `the server "a": \`command\` is missing. ${STDIO}`],
    [
      'has a URL and no type',
      '{ "url": "http://x" }',
      'the server "a": `type` must be "stdio", "http" or "sse"; it is missing',
    ],
    [
      'has a type that is not known',
      '{ "type": "ws", "url": "ws://x" }',
      'the server "a": `type` must be "stdio", "http" or "sse"; it is "ws"',
    ],
    [
      'has arguments in one string',
      '{ "command": "x", "args": "-y" }',
      `the server "a": \`args\` must be an array of strings; it is a string. ${STDIO}`,
    ],
    [
      'has a number in env',
      '{ "command": "x", "env": { "PORT": 80 } }',
      `the server "a": \`env\` must be an object whose values are strings; it is an object. ${STDIO}`,
    ],
    ['has a bad URL', '{ "type": "http", "url": "somewhere" }', 'the server "a": `url` is not a URL'],
    ['has no URL', '{ "type": "sse" }', 'the server "a": `url` is missing'],
    [
      'has a negative time limit',
      '{ "command": "x", "timeout": -1 }',
      'the server "a": `timeout` must be a number of milliseconds, 0 or above; it is a number',
    ],
  ])('%s', async (_, entry, expected) => {
    const { said, servers } = await resolved(`{ "mcpServers": {\n\n  "a": ${entry} } }`);
    expect(said).toHaveLength(1);
    expect(said[0]).toContain(`<cwd>/.mcp.json:3: ${expected}`);
    expect(servers.a?.config).toBeUndefined();
    expect(servers.a?.error).toMatchObject({ server: 'a', line: 3, place: 'project' });
  });

  it('with a key that is not known is used, and the key is named', async () => {
    const { said, servers } = await resolved('{ "mcpServers": { "a": { "command": "x",\n "cmd": "y" } } }');
    expect(said[0]).toContain('<cwd>/.mcp.json:2: the server "a": the key `cmd` is unknown and ignored');
    expect(servers.a?.config).toMatchObject({ command: 'x' });
  });

  it('never has its values in a message: any of them may be a secret', async () => {
    const { said, servers } = await resolved(
      '{ "mcpServers": { "a": { "command": 7, "type": "SECRET 1", "env": { "A": ["SECRET 2"] }, "url": "SECRET 3", "headers": "SECRET 4" },' +
        '"b": { "command": "x", "env": { "KEY": "SECRET 5" } } } }',
    );
    expect(`${said.join()} ${JSON.stringify(servers)} ${inspect(servers, { depth: 9 })}`).not.toContain(
      'SECRET',
    );
    expect(servers.b?.config).toMatchObject({ env: { KEY: 'SECRET 5' } });
  });
});

describe('variables (R27)', () => {
  it('are replaced in all five places, with defaults, and nowhere else', async () => {
    const { servers, said } = await resolved(
      JSON.stringify({
        mcpServers: {
          // biome-ignore-start lint/suspicious/noTemplateCurlyInString: that is what is tested
          a: {
            command: '/${SET}/x',
            args: ['${SET}', '${NOT:-none}', '$SET', '${1}'],
            env: { E: '<${SET}>' },
          },
          b: { type: 'http', url: 'http://${NOT:-localhost}/', headers: { H: 'Bearer ${SET}' } },
          // biome-ignore-end lint/suspicious/noTemplateCurlyInString: that is what is tested
        },
      }),
    );
    expect(said).toEqual([]);
    expect(servers.a?.config).toEqual({
      command: '/value/x',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: no variable has such a name
      args: ['value', 'none', '$SET', '${1}'],
      env: { E: '<value>' },
    });
    expect(servers.b?.config).toMatchObject({ url: 'http://localhost/', headers: { H: 'Bearer value' } });
  });

  it.each([
    ['command', { command: '$' }, 'command'],
    ['args', { command: 'x', args: ['ok', '$'] }, 'args[1]'],
    ['env', { command: 'x', env: { TOKEN: '$' } }, 'env.TOKEN'],
    ['url', { type: 'http', url: 'http://h/$' }, 'url'],
    [
      'headers',
      { type: 'sse', url: 'http://h', headers: { Authorization: 'Bearer $' } },
      'headers.Authorization',
    ],
  ])('that are missing in %s are an error with variable, server, field and file', async (_, entry, field) => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: that is what is tested
    const text = JSON.stringify({ mcpServers: { github: entry } }, null, 2).replace('$', '${GITHUB_PAT}');
    const { servers, said, problems } = await resolved(text);
    expect(problems).toMatchObject([{ severity: 'error', server: 'github', variable: 'GITHUB_PAT', field }]);
    expect(said).toEqual([
      // biome-ignore lint/suspicious/noTemplateCurlyInString: what the message says
      `<cwd>/.mcp.json:3: the server "github": \`${field}\` needs the variable GITHUB_PAT, which is not set. Set it, or write ${'${GITHUB_PAT:-default}'}.`,
    ]);
    expect(servers.github?.config).toBeUndefined();
  });

  it('are replaced once: what comes out of one is not looked at again', async () => {
    // biome-ignore-start lint/suspicious/noTemplateCurlyInString: that is what is tested
    const { servers } = await resolved('{ "mcpServers": { "a": { "command": "${A}" } } }', {
      env: { A: '${B}', B: 'no' },
    });
    expect(servers.a?.config).toEqual({ command: '${B}' });
    // biome-ignore-end lint/suspicious/noTemplateCurlyInString: that is what is tested
  });
});

describe('strict and lenient (R28)', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: that is what is tested
  const mcpServers = { bad: { command: '${NOT_SET_ANYWHERE}' }, good: { command: 'x' } };

  it('strict: any error in the options throws, and no file is read', async () => {
    expect(() => resolveMcpConfig({ mcpServers, env: {}, strictMcpConfig: true })).toThrow(McpConfigError);
    const { servers } = await resolved('nonsense', {
      mcpServers: { good: { command: 'x' } },
      strictMcpConfig: true,
    });
    expect(Object.keys(servers)).toEqual(['good']);
  });

  it('lenient: what is wrong is left out and told, the rest is used', async () => {
    const { servers, said } = await resolved('nonsense', { mcpServers, env: {} });
    expect(servers.good?.config).toEqual({ command: 'x' });
    expect(servers.bad?.error?.variable).toBe('NOT_SET_ANYWHERE');
    expect(said).toHaveLength(2);
  });
});

it('the public function takes the options of a query, with the environment that its agent would have', () => {
  const { files } = ofQuery({ env: { CLAUDE_CONFIG_DIR: '/somewhere' }, settingSources: ['user'] });
  expect(files.map(({ path }) => path)).toContain('/somewhere/mcp.json');
  const home = process.env.HOME ?? '';
  const inherited = ofQuery({ env: { ONLY: 'this' }, settingSources: ['user'] }).files;
  expect(inherited.map(({ path }) => path)).toContain(join(home, '.claude', 'mcp.json'));
});

describe('the JSON reader', () => {
  it('reads what JSON.parse reads, and refuses what it refuses', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.boolean(), (text, at, cut) => {
        const input = cut ? text.slice(0, at % (text.length + 1)) : text;
        let expected: unknown;
        try {
          expected = JSON.parse(input);
        } catch {
          expect(() => parseJson(input)).toThrow(/line \d+, column \d+/);
          return;
        }
        expect(parseJson(input).value).toEqual(expected);
      }),
    );
  });

  it('knows the line of every key', () => {
    const { lineOf } = parseJson('{\n"a":\n{ "b": [\n1,\n2] }\n}');
    expect([lineOf(['a']), lineOf(['a', 'b']), lineOf(['a', 'b', 1]), lineOf(['a', 'x'])]).toEqual([
      2, 3, 5, 2,
    ]);
  });
});
