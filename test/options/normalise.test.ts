/** One door for options: `null` is the same as absent everywhere, and names that nobody knows are named (R11). */
import { describe, expect, it } from 'vitest';
import {
  createSession,
  explainPermissions,
  type Options,
  prewarm,
  query,
  resolveMcpConfig,
  startup,
  warmPool,
} from '../../src/index.js';
import { normalise } from '../../src/options/normalise.js';
import { OPTION_TABLE } from '../../src/options/option-table.js';
import { planOf } from '../../src/options/plan.js';
import { captureLaunch } from '../support/captured-launch.js';

const NAMES = Object.keys(OPTION_TABLE) as (keyof Options)[];
const nothing = (name: string) => ({ [name]: null }) as unknown as Options;

describe('null is the same as absent', () => {
  const refuse = (text: string): never => {
    throw new Error(text);
  };

  it.each(NAMES)('for %s', async (name) => {
    const given = normalise(nothing(name), refuse);
    expect(given).toEqual({});
    expect(planOf(given)).toEqual(planOf({}));
  });

  // Those that the capture itself is made with aside.
  it.each(NAMES.filter((name) => !['pathToClaudeCodeExecutable', 'spawnClaudeCodeProcess'].includes(name)))(
    'for %s, on the way to the agent',
    async (name) => {
      const [none, absent] = [await captureLaunch(nothing(name)), await captureLaunch({})];
      expect(none.spawn.args).toEqual(absent.spawn.args);
      expect(none.spawn.env).toEqual(absent.spawn.env);
      expect(none.spawn.cwd).toEqual(absent.spawn.cwd);
      expect(none.initialize).toEqual(absent.initialize);
    },
  );

  it('inside of what has a shape too', async () => {
    const given = {
      systemPrompt: { type: 'preset', preset: 'claude_code', append: null },
      thinking: { type: 'enabled', budgetTokens: null },
      toolConfig: { askUserQuestion: null },
      env: { PATH: null, A: '1' },
    } as unknown as Options;
    const { spawn, initialize } = await captureLaunch(given);
    expect(initialize).not.toHaveProperty('appendSystemPrompt');
    expect(spawn.args).toContain('--thinking=adaptive');
    expect(spawn.env.A).toBe('1');
    // `undefined` takes a variable away, so `null` does.
    expect(spawn.env).not.toHaveProperty('PATH');
  });

  it('but for `extraArgs`, where it is a flag without a value', () => {
    const { plan } = planOf(normalise({ extraArgs: { flag: null } }, refuse));
    expect(plan.extraArgs).toEqual({ flag: null });
  });
});

describe('an option that does not exist', () => {
  const told = (options: unknown): string[] => {
    const warnings: string[] = [];
    normalise(options as Options, (text) => warnings.push(text));
    return warnings;
  };

  it.each<[object, string]>([
    [{ allowedTool: ['Read'] }, 'There is no option `allowedTool`. Did you mean `allowedTools`?'],
    [{ mcpServer: {} }, 'There is no option `mcpServer`. Did you mean `mcpServers`?'],
    [{ ofTheFuture: 1 }, 'There is no option `ofTheFuture`. It has no effect.'],
    [
      { systemPrompt: { type: 'preset', preset: 'claude_code', apend: 'x' } },
      'There is no option `systemPrompt.apend`. Did you mean `append`?',
    ],
    [{ mcpReady: { server: ['a'] } }, 'There is no option `mcpReady.server`. Did you mean `servers`?'],
  ])('%j is named, with the nearest that does', (options, warning) => {
    expect(told(options)).toEqual([warning]);
    const strict = { ...options, strictOptions: true };
    expect(() => told(strict)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION', message: warning }));
  });

  it('is told once per query, to `stderr`, and keeps nothing from working', async () => {
    const heard: string[] = [];
    const options = { allowedTool: ['Read'], stderr: (text: string) => heard.push(text) } as Options;
    await captureLaunch(options);
    expect(heard).toEqual(['tenon: There is no option `allowedTool`. Did you mean `allowedTools`?\n']);
  });

  it('is told to the process where nobody listens, once', async () => {
    const warnings: Error[] = [];
    const listen = (warning: Error): void => void warnings.push(warning);
    process.on('warning', listen);
    try {
      for (let count = 0; count < 2; count += 1) {
        explainPermissions({ allowdTools: [] } as unknown as Options);
      }
      // Warnings are emitted on the next tick.
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      process.off('warning', listen);
    }
    expect(warnings.filter(({ message }) => message.includes('allowdTools'))).toMatchObject([
      { name: 'TenonWarning', code: 'TENON_OPTION' },
    ]);
  });
});

describe('every way in goes through the same door:', () => {
  const bad = { maxTurns: 'three' } as unknown as Options;
  const wrong = expect.objectContaining({ code: 'INVALID_OPTION', option: 'maxTurns' });

  it('query, createSession, warmPool, explainPermissions and resolveMcpConfig throw', () => {
    expect(() => query({ prompt: 'x', options: bad })).toThrow(wrong);
    expect(() => createSession(bad)).toThrow(wrong);
    expect(() => warmPool(1, { options: bad })).toThrow(wrong);
    expect(() => explainPermissions(bad)).toThrow(wrong);
    expect(() => resolveMcpConfig(bad)).toThrow(wrong);
  });

  it('startup and prewarm reject', async () => {
    await expect(startup({ options: bad })).rejects.toThrow(wrong);
    await expect(prewarm({ options: bad })).rejects.toThrow(wrong);
  });

  it('and null counts as absent in each', () => {
    const none = Object.assign({}, ...NAMES.map(nothing)) as Options;
    expect(explainPermissions(none)).toEqual(explainPermissions({}));
    const { problems, ...resolved } = resolveMcpConfig(none);
    expect(problems).toEqual(resolveMcpConfig({}).problems);
    expect(Object.keys(resolved.servers)).toEqual(Object.keys(resolveMcpConfig({}).servers));
  });
});

it('options that an object has inherited count', () => {
  const options = Object.create({ model: 'inherited' }) as Options;
  expect(planOf(normalise(options, () => {})).plan.model).toBe('inherited');
});
