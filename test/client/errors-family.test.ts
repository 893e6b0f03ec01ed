/** What the errors guide promises: one family, each class recognized as itself, each code explained (pain 5). */
import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import * as main from '../../src/index.js';
import {
  AbortError,
  McpConfigError,
  OptionError,
  ProcessError,
  ResultError,
  TenonError,
} from '../../src/index.js';
import * as anthropicModel from '../../src/models/anthropic/anthropic.js';
import * as protocol from '../../src/protocol/index.js';
import * as runtime from '../../src/runtime/index.js';
import * as testing from '../../src/testing/index.js';

const guide = readFileSync(new URL('../../docs/guide/errors.md', import.meta.url), 'utf8');
const failed = { type: 'result', subtype: 'error_max_turns', is_error: true, errors: ['too many'] };

/** One of each class that the entries export. */
const EXAMPLES: Record<string, () => unknown> = {
  TenonError: () => new TenonError('CLOSED', 'x'),
  AbortError: () => new AbortError(),
  OptionError: () => new OptionError('cwd', 5, 'x'),
  ControlError: () => new main.ControlError('interrupt', 'x'),
  ControlTimeoutError: () => new main.ControlTimeoutError('interrupt', 5),
  ProcessError: () => new ProcessError('EXITED', 'x'),
  McpConfigError: () => new McpConfigError([]),
  SessionConflictError: () => new main.SessionConflictError({ projectKey: 'p', sessionId: 's' }),
  ResultError: () => new ResultError(failed as never),
  ModelError: () => new runtime.ModelError('x', { status: 500 }),
  FlagError: () => catchError(() => runtime.parseFlags(['--nope'], JSON.parse)),
  CassetteMismatchError: () => new testing.CassetteMismatchError('x'),
  TapeError: () => new testing.TapeError('run.tape', 2, 'x'),
  TapeMismatchError: () => new testing.TapeMismatchError('run.tape', []),
  ScriptError: () => catchError(() => testing.scriptedModel([{} as never])),
  UnconsumedStepsError: () => catchError(() => testing.scriptedModel(['Never said.']).assertDone()),
  UnexpectedRequestError: () => new testing.UnexpectedRequestError('scripted model', [], 0),
};

type ErrorClass = (new (...args: never[]) => Error) & { is?(value: unknown): boolean };

/**
 * By name, without the earlier names of some. A `ControlFault` is not an error of Tenon's: a handler throws it to
 * say which `error_code` the other side is to get.
 */
const exported = new Map<string, ErrorClass>();
for (const entry of [main, protocol, runtime, testing, anthropicModel]) {
  for (const value of Object.values(entry)) {
    if (typeof value === 'function' && value.prototype instanceof Error && value !== protocol.ControlFault) {
      exported.set(value.name, value as unknown as ErrorClass);
    }
  }
}

function catchError(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('every exported class of errors', () => {
  it('has an example here', () => {
    expect(Object.keys(EXAMPLES).sort()).toEqual([...exported.keys()].sort());
  });

  it.each([...exported])(
    '%s is a TenonError with its own name and a code that is explained',
    (name, itself) => {
      const error = EXAMPLES[name]?.();
      expect(error).toBeInstanceOf(itself);
      expect(error).toBeInstanceOf(TenonError);
      expect(TenonError.is(error)).toBe(true);
      const { code, name: shown } = error as TenonError;
      expect(shown).toBe(name);
      expect(guide).toContain(`\`${code}\``);
    },
  );

  it.each([...exported])('%s.is() is true for its own errors only', (_, itself) => {
    for (const make of Object.values(EXAMPLES)) {
      const error = make();
      expect(itself.is?.(error), String(error)).toBe(error instanceof itself);
    }
    expect(itself.is?.(new Error('x'))).toBe(false);
    expect(itself.is?.(undefined)).toBe(false);
    expect(itself.is?.('ResultError')).toBe(false);
  });
});

describe('is()', () => {
  it('recognizes errors of a second copy of the package, class by class', async () => {
    vi.resetModules();
    const copy = await import('../../src/index.js');
    expect(copy.ResultError).not.toBe(ResultError);
    const foreign = new copy.ResultError(failed as never);
    expect(TenonError.is(foreign)).toBe(true);
    expect(ResultError.is(foreign)).toBe(true);
    expect(OptionError.is(foreign)).toBe(false);
  });

  it('knows a class of your own by itself, and its errors as those of its parent', () => {
    class QuotaError extends TenonError {}
    const own = new QuotaError('CLOSED', 'x');
    expect(own.name).toBe('QuotaError');
    expect(QuotaError.is(own)).toBe(true);
    expect(TenonError.is(own)).toBe(true);
    expect(ResultError.is(own)).toBe(false);
    expect(QuotaError.is(new TenonError('CLOSED', 'x'))).toBe(false);
  });

  it('may be passed on as a function', () => {
    const { is } = TenonError;
    expect([new AbortError(), new Error('x')].map((error) => is(error))).toEqual([true, false]);
  });

  it('narrows to the class', () => {
    const error: unknown = new ResultError(failed as never);
    if (!ResultError.is(error)) throw new Error('not recognized');
    expect(error.failure.kind).toBe('max_turns');
  });
});

it('the guide explains every code, and no other', () => {
  const source = readFileSync(new URL('../../src/protocol/base/errors.ts', import.meta.url), 'utf8');
  const union = /export type TenonErrorCode =([^;]+);/.exec(source)?.[1] ?? '';
  const codes = [...union.matchAll(/'([A-Z_]+)'/g)].map(([, code]) => code);
  const rows = guide.split('\n').filter((line) => line.startsWith('| `') && /`[A-Z]/.test(line));
  const explained = rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`([A-Z_]+)`/g)].map(([, code]) => code),
  );
  expect(explained.sort()).toEqual(codes.sort());
});
