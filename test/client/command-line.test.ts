/** What never stands on the command line: what is large (pain 25) and what is secret (pain 44). */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { localArguments, redactArguments, remoteArguments } from '../../src/client/launch/command-line.js';
import { PrivateFiles } from '../../src/client/launch/private-files.js';
import { configuredServers, serversOnWire } from '../../src/client/mcp/configured-servers.js';
import type { McpServerConfig, Options } from '../../src/index.js';
import { normalise } from '../../src/options/normalise.js';
import { planOf } from '../../src/options/plan.js';
import fc from '../support/property.js';

const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

function build(options: Options) {
  const files = new PrivateFiles();
  cleanUps.push(() => files.remove());
  const given = normalise(options, () => {});
  const { plan, initialize, ...planned } = planOf(given);
  // A copy, as a launch makes one: the environment of a plan is shared.
  const env = { ...planned.env };
  const whole = { ...plan, mcpServers: serversOnWire(configuredServers(given, env, () => []).split) };
  const args =
    given.spawnClaudeCodeProcess === undefined
      ? localArguments(whole, given.cwd, files)
      : remoteArguments(whole, given.cwd, env);
  return { args, env, initialize, files, value: (flag: string) => args[args.indexOf(flag) + 1] ?? '' };
}

const custom: Options = {
  spawnClaudeCodeProcess: () => {
    throw new Error('not in this test');
  },
};

const names = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);
const sizeOf = (args: readonly string[]) => args.reduce((sum, arg) => sum + Buffer.byteLength(arg) + 1, 0);

const text = (size: number) => fc.string({ minLength: size, maxLength: size + 10, unit: 'grapheme' });

describe('the command line is short, whatever the options are (pain 25)', () => {
  const large: fc.Arbitrary<Options> = fc.record({
    systemPrompt: text(100).map((part) => part.repeat(10_000)),
    allowedTools: fc.constant(names(500, 'mcp__some_server__some_tool_')),
    disallowedTools: fc.constant(names(500, 'mcp__another_server__another_tool_')),
    mcpServers: text(50).map((secret) =>
      Object.fromEntries(
        names(50, 'server-').map((name): [string, McpServerConfig] => [
          name,
          { command: 'node', args: [`${name}.js`], env: { TOKEN: secret } },
        ]),
      ),
    ),
    agents: text(50).map((part) => ({ reviewer: { description: 'd', prompt: part.repeat(1_000) } })),
    settings: fc.oneof(
      text(50).map((part) => ({ env: { LONG: part.repeat(1_000) } })),
      text(50).map((part) => JSON.stringify({ env: { LONG: part.repeat(1_000) } })),
    ),
    outputFormat: text(50).map((part) => ({
      type: 'json_schema' as const,
      schema: { type: 'object', description: part.repeat(1_000) },
    })),
    skills: fc.constant(names(200, 'skill-')),
  });

  it('4 KB hold all of it', () => {
    fc.assert(
      fc.property(large, (options) => {
        const { args, files } = build(options);
        expect(sizeOf(args)).toBeLessThanOrEqual(4 * 1024);
        files.remove();
      }),
      { numRuns: 10 },
    );
  });

  it('and nothing of it is lost', () => {
    const allowedTools = names(500, 'mcp__a__');
    const disallowedTools = names(500, 'mcp__b__');
    const { value, initialize } = build({
      allowedTools,
      disallowedTools,
      settings: { model: 'opus', permissions: { allow: ['Read'], deny: ['Bash'], defaultMode: 'plan' } },
      sandbox: { enabled: true },
      systemPrompt: 'x'.repeat(1_000_000),
    });
    expect(JSON.parse(readFileSync(value('--settings'), 'utf8'))).toEqual({
      model: 'opus',
      sandbox: { enabled: true, failIfUnavailable: true },
      permissions: {
        allow: ['Read', ...allowedTools],
        deny: ['Bash', ...disallowedTools],
        defaultMode: 'plan',
      },
    });
    expect(initialize.systemPrompt?.[0]).toHaveLength(1_000_000);
  });

  it('rules in a settings file of the user are kept beside a long list', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tenon-test-'));
    cleanUps.push(() => rmSync(folder, { recursive: true }));
    const own = { permissions: { deny: ['Bash'], ask: ['Edit'] }, model: 'haiku' };
    writeFileSync(join(folder, 'own.json'), JSON.stringify(own));
    const allowedTools = names(500, 'mcp__a__');
    for (const settings of ['own.json', join(folder, 'own.json'), JSON.stringify(own)]) {
      const { value, args } = build({ cwd: folder, settings, allowedTools });
      expect(JSON.parse(readFileSync(value('--settings'), 'utf8'))).toEqual({
        model: 'haiku',
        permissions: { allow: allowedTools, deny: ['Bash'], ask: ['Edit'] },
      });
      expect(args.filter((arg) => arg === '--settings')).toHaveLength(1);
    }
  });

  it('a settings file that cannot be read is an error that names it', () => {
    const missing = () => build({ settings: '/no/such/settings.json', sandbox: { enabled: true } });
    expect(missing).toThrow(expect.objectContaining({ code: 'INVALID_OPTION', option: 'settings' }));
    expect(missing).toThrow(/\/no\/such\/settings\.json.*ENOENT/);
    expect(() => build({ settings: '{"model": ' })).toThrow(/could not be read/);
  });

  it('short lists stay flags, and a custom spawn gets its lists as flags however long', () => {
    expect(build({ allowedTools: ['Read'] }).args).toContain('--allowedTools=Read');
    const allowedTools = names(500, 'mcp__a__');
    expect(build({ ...custom, allowedTools }).args).toContain(`--allowedTools=${allowedTools.join(',')}`);
  });
});

/** Any servers with secrets that can be recognised anywhere. */
const marker = fc.uuid().map((id) => `SECRET-${id}`);
const secrets = fc.dictionary(fc.stringMatching(/^[A-Z][A-Z_]{0,10}$/), marker, { minKeys: 1, maxKeys: 4 });
const server: fc.Arbitrary<McpServerConfig> = fc.oneof(
  secrets.map((env) => ({ command: 'node', args: ['server.js'], env })),
  secrets.map((env) => ({ type: 'stdio' as const, command: 'node', env })),
  fc.tuple(marker, marker).map(([key, path]) => ({
    command: 'node',
    args: ['-y', `--api-key=${key}`, '--file', path],
  })),
  fc.tuple(marker, marker, marker).map(([password, path, query]) => ({
    type: 'http' as const,
    url: `https://ada:${password}@example.com/${path}?key=${query}`,
  })),
  marker.map((clientSecret) => ({
    type: 'http' as const,
    url: 'https://example.com',
    oauth: { clientId: 'ada', clientSecret },
  })),
  fc.record({
    type: fc.constantFrom('http' as const, 'sse' as const),
    url: fc.constant('http://127.0.0.1:9/mcp'),
    headers: secrets,
  }),
);
const servers = fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), server, { minKeys: 1, maxKeys: 5 });

function valuesOf(configs: Record<string, McpServerConfig>): string[] {
  return Object.values(configs).flatMap((config) => [
    ...('env' in config ? Object.values(config.env ?? {}) : []),
    ...('headers' in config ? Object.values(config.headers ?? {}) : []),
    ...[...JSON.stringify(config).matchAll(/SECRET-[\w-]+/g)].map(([found]) => found),
  ]);
}

/** Without the blanks that hide the secrets of others, and a secret that the CLI does not read. */
function asGiven(config: McpServerConfig): McpServerConfig {
  const { env, oauth, ...rest } = config as {
    env?: Record<string, string>;
    oauth?: { clientSecret?: string };
  };
  const own = Object.entries(env ?? {}).filter(([name]) => !name.startsWith('TENON_'));
  const { clientSecret: _secret, ...client } = oauth ?? {};
  return {
    ...rest,
    ...(own.length === 0 ? {} : { env: Object.fromEntries(own) }),
    ...(oauth === undefined ? {} : { oauth: client }),
  } as McpServerConfig;
}

describe('secrets of servers are not on the command line (pain 44)', () => {
  it('they are in a file that only this user can read, until it is removed', () => {
    fc.assert(
      fc.property(servers, (mcpServers) => {
        const { args, env, value, files } = build({ mcpServers });
        const path = value('--mcp-config');
        expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ mcpServers });
        expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
        expect((statSync(dirname(path)).mode & 0o777).toString(8)).toBe('700');
        const visible = JSON.stringify([args, redactArguments(args), env]);
        for (const secret of valuesOf(mcpServers)) expect(visible).not.toContain(secret);
        files.remove();
        files.remove();
        expect(existsSync(dirname(path))).toBe(false);
      }),
      { numRuns: 50 },
    );
  });

  it('with a custom spawn they are in the environment, under names that the CLI replaces', () => {
    fc.assert(
      fc.property(servers, (mcpServers) => {
        const { args, env, value } = build({ ...custom, mcpServers });
        for (const secret of valuesOf(mcpServers)) expect(JSON.stringify(args)).not.toContain(secret);
        // What the CLI does with `${NAME}`.
        const expanded = value('--mcp-config').replaceAll(/\$\{(\w+)\}/g, (_, name) => env[name] ?? '?');
        const found = JSON.parse(expanded).mcpServers as Record<string, McpServerConfig>;
        expect(Object.keys(found)).toEqual(Object.keys(mcpServers));
        for (const [name, config] of Object.entries(found)) {
          expect(asGiven(config)).toEqual(asGiven(mcpServers[name]!));
        }
      }),
      { numRuns: 50 },
    );
  });

  it('variables that the user left for the CLI to replace stay as they are', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the CLI expands it.
    const mcpServers = { a: { command: 'node', env: { TOKEN: '${MY_TOKEN}' } } };
    expect(JSON.parse(build({ ...custom, mcpServers }).value('--mcp-config'))).toEqual({ mcpServers });
  });

  it('settings are in a private file too', () => {
    const own = { env: { ANTHROPIC_AUTH_TOKEN: 'SECRET' } };
    for (const settings of [own, JSON.stringify(own), { apiKeyHelper: 'echo SECRET' }]) {
      const { args, value } = build({ settings });
      expect(args.join(' ')).not.toContain('SECRET');
      expect(JSON.parse(readFileSync(value('--settings'), 'utf8'))).toEqual(
        typeof settings === 'string' ? own : settings,
      );
    }
  });

  it.each([
    ['the CLI', {}],
    ['a custom spawn', custom],
  ])('of a policy, %s gets the restrictions alone', (_, more) => {
    const managedSettings = {
      env: { TOKEN: 'SECRET' },
      apiKeyHelper: 'echo SECRET',
      permissions: { deny: ['Bash'] },
    };
    const { args, value } = build({ ...more, managedSettings });
    expect(args.join(' ')).not.toContain('SECRET');
    expect(JSON.parse(value('--managed-settings'))).toEqual({ permissions: { deny: ['Bash'] } });
  });
});

describe('a command line in an error', () => {
  it.each<[string[], string[]]>([
    [
      ['claude', '--verbose', '--model=opus'],
      ['claude', '--verbose', '--model=opus'],
    ],
    [
      ['--mcp-config', '{"mcpServers":{}}'],
      ['--mcp-config', '<JSON, 17 characters>'],
    ],
    [
      ['--mcp-config', '/tmp/x/mcp.json'],
      ['--mcp-config', '/tmp/x/mcp.json'],
    ],
    [
      ['--system-prompt', 'Be brief.', '--append-system-prompt', 'Or not.'],
      ['--system-prompt', '<text, 9 characters>', '--append-system-prompt', '<text, 7 characters>'],
    ],
    [
      ['--api-key', 'sk-1', '--auth-token=sk-2'],
      ['--api-key', '<redacted>', '--auth-token=<redacted>'],
    ],
    [
      ['--max-thinking-tokens=4000', '--max-thinking-tokens', '4000'],
      ['--max-thinking-tokens=4000', '--max-thinking-tokens', '4000'],
    ],
    [
      ['--auth-mode', '--other'],
      ['--auth-mode', '--other'],
    ],
    [[`--allowedTools=${'x'.repeat(500)}`], ['--allowedTools=<500 characters>']],
    [['y'.repeat(500)], ['<500 characters>']],
  ])('shows %j as %j', (args, shown) => {
    expect(redactArguments(args)).toEqual(shown);
  });
});
