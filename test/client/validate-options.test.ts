/** A mistake in the options is named at the door: the option, the bad value and what would be right. */
import { describe, expect, it } from 'vitest';
import { createSdkMcpServer, OptionError, type Options, query, TenonError } from '../../src/index.js';

/** What `query()` throws for these options; they come from JavaScript, so anything goes. */
function refusal(options: unknown, prompt: unknown = 'hi'): OptionError {
  try {
    const spawnClaudeCodeProcess = () => {
      throw new Error('it was started');
    };
    const given =
      typeof options === 'object' && options !== null ? { spawnClaudeCodeProcess, ...options } : options;
    void query({ prompt: prompt as string, options: given as Options }).close();
  } catch (error) {
    if (error instanceof OptionError) return error;
    throw new Error(`not an OptionError: ${error}`, { cause: error });
  }
  throw new Error('nothing was thrown');
}

describe('a value of the wrong kind', () => {
  it.each<[keyof Options, unknown, string]>([
    // One option of each kind, with several wrong values, …
    ['allowedTools', 'Read', 'an array; it is "Read"'],
    ['allowedTools', { 0: 'Read' }, 'an array; it is {"0":"Read"}'],
    ['agents', [], 'an object; it is []'],
    ['agents', 'reviewer', 'an object; it is "reviewer"'],
    ['canUseTool', { behavior: 'allow' }, 'a function; it is {"behavior":"allow"}'],
    ['cwd', 7, 'a string; it is 7'],
    ['cwd', new URL('file:///tmp'), 'a string; it is "file:///tmp"'],
    ['continue', 'yes', 'true or false; it is "yes"'],
    ['maxTurns', '3', 'a number, 0 or above; it is "3"'],
    ['maxTurns', Number.NaN, 'a number, 0 or above; it is null'],
    ['closeGraceMs', -1, 'a number, 0 or above; it is -1'],
    ['model', () => 'opus', 'a string; it is a function'],
    ['maxBudgetUsd', 10n, 'a number, 0 or above; it is 10'],
    // … and every other option that is checked.
    ['additionalDirectories', '/a', 'an array'],
    ['betas', 'x', 'an array'],
    ['controlTimeoutMs', 'soon', 'a number, 0 or above'],
    ['disallowedTools', 'Bash', 'an array'],
    ['env', 'A=1', 'an object'],
    ['executableArgs', '--x', 'an array'],
    ['extraArgs', ['--x'], 'an object'],
    ['hooks', () => {}, 'an object'],
    ['maxLineBytes', 0, 'a number above 0'],
    ['maxThinkingTokens', -5, 'a number, 0 or above'],
    ['maxUnreadBytes', -5, 'a number above 0'],
    ['mcpServers', ['x'], 'an object'],
    ['onDebug', true, 'a function'],
    ['onElicitation', 'x', 'a function'],
    ['onUserDialog', 'x', 'a function'],
    ['pathToClaudeCodeExecutable', 1, 'a string'],
    ['permissionMode', 1, 'a string'],
    ['plugins', {}, 'an array'],
    ['resume', true, 'a string'],
    ['sessionId', 1, 'a string'],
    ['settingSources', 'user', 'an array'],
    ['spawnClaudeCodeProcess', 'docker', 'a function'],
    ['startupTimeoutMs', '5s', 'a number, 0 or above'],
    ['stderr', 'inherit', 'a function'],
  ])('%s: %o', (option, value, expected) => {
    const error = refusal({ [option]: value });
    expect(error).toMatchObject({ code: 'INVALID_OPTION', option, value });
    expect(error.message).toContain(`The option \`${option}\` must be ${expected}`);
  });

  it('of undefined or null counts as not given', () => {
    const given = { maxTurns: null, allowedTools: undefined, stderr: null };
    expect(() => refusal(given)).toThrow('nothing was thrown');
  });

  it('that is very long is shown in part', () => {
    expect(refusal({ allowedTools: 'x'.repeat(10_000) }).message.length).toBeLessThan(300);
  });
});

describe('options', () => {
  it.each([null, 'x', 5])('that are %j instead of an object', (options) => {
    expect(refusal(options)).toMatchObject({ option: 'options', value: options });
  });

  it('that contradict each other name both', () => {
    const error = refusal({ canUseTool: () => {}, permissionPromptToolName: 'mcp__x__y' });
    expect(error).toMatchObject({ option: 'permissionPromptToolName', value: 'mcp__x__y' });
    expect(error.message).toMatch(/`canUseTool` or `permissionPromptToolName`, not both/);
  });

  it.each([[{ type: 'text' }], [{ type: 'json_schema' }], [{ type: 'json_schema', schema: null }], ['json']])(
    'outputFormat: %j',
    (outputFormat) => {
      const error = refusal({ outputFormat });
      expect(error.option).toBe('outputFormat');
      expect(error.message).toContain('must be { type: "json_schema", schema: { … } }');
    },
  );

  it('that nobody knows are let through, as the official SDK does', () => {
    expect(() => refusal({ optionOfTheFuture: 1 })).toThrow('nothing was thrown');
  });
});

describe('a server', () => {
  it('that is undefined is left out, and good ones pass', () => {
    const mcpServers = {
      none: undefined,
      stdio: { command: 'node' },
      http: { type: 'http', url: 'http://127.0.0.1:9' },
      here: createSdkMcpServer({ name: 'here' }),
    };
    expect(() => refusal({ mcpServers })).toThrow('nothing was thrown');
  });
});

describe('hooks', () => {
  it.each<[unknown]>([
    [() => {}],
    ['x'],
    [{}],
    [[null]],
    [[() => {}]],
    [[{ matcher: 'Bash' }]],
    [[{ hooks: () => {} }]],
    [[{ hooks: ['x'] }]],
  ])('PreToolUse: %o', (matchers) => {
    const error = refusal({ hooks: { PreToolUse: matchers } });
    expect(error.option).toBe('hooks.PreToolUse');
    expect(error.message).toContain('[{ matcher?, hooks: [fn], timeout? }]');
  });

  it('that are empty, null or undefined are none', () => {
    const hooks = { PreToolUse: [], PostToolUse: undefined, Stop: null };
    expect(() => refusal({ hooks })).toThrow('nothing was thrown');
  });
});

describe('a prompt', () => {
  it.each([[undefined], [null], [5], [{ type: 'user' }], [['hi']], [() => 'hi']])(
    '%o is refused',
    (prompt) => {
      const refused = prompt === undefined ? null : prompt;
      expect(refusal({}, refused)).toMatchObject({
        option: 'prompt',
        message: 'query(): `prompt` must be a string or an async iterable of user messages.',
      });
    },
  );
});

it('an OptionError is a TenonError, for every copy of the package', () => {
  const error = refusal({ maxTurns: -1 });
  expect(TenonError.is(error)).toBe(true);
  expect(error.name).toBe('OptionError');
});
