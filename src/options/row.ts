import { isRecord } from '../protocol/base/kinds.js';
import { type RuleKind, rulesIn } from '../protocol/permissions/permission-rules.js';
import type { InitializeRequest } from '../protocol/wire/control-requests.js';
import type { Options } from './options.js';
import type { AgentPlan } from './plan.js';

/** Options as given: an option that was not given is absent, never `undefined` or `null`. */
export type GivenOptions = { readonly [Name in keyof Options]?: NonNullable<Options[Name]> };

/** One option: how it is checked, where it goes, and what the embedded runtime does with it. */
export interface Row<Value> {
  readonly kind: Kind;
  readonly to: Place<Value>;
  readonly embedded: Support | ((value: Value, runtime: RuntimeFacts) => Support);
}

/** What an embedded runtime has, and what it does with an option may depend on. */
export interface RuntimeFacts {
  /** Files, and tools that work on them. */
  readonly hasWorkspace: boolean;
}

/**
 * `refuses`: ignoring the option would allow something it forbids. `ignores`: only something wanted is
 * missing.
 */
export type Support =
  | 'acts'
  | { readonly refuses: string }
  | { readonly ignores: string; readonly inPart?: boolean };

/** Everything the options are translated into. */
export interface Placed {
  readonly plan: AgentPlan;
  readonly initialize: InitializeRequest;
  /** Added to the agent's environment. */
  readonly env: Record<string, string>;
  readonly settings: ClientSettings;
}

/** The options that the client itself acts on during a conversation, with their defaults. */
export interface ClientSettings {
  closeGraceMs: number | undefined;
  controlTimeoutMs: number;
  maxUnreadBytes: number;
  startupTimeoutMs: number;
  stderr: ((text: string) => void) | undefined;
  throwOnErrorResult: boolean;
  verbatimPrompts: boolean;
}

/** What an agent behind a command line receives of the options. */
export interface ReceivedOptions {
  readonly plan?: AgentPlan;
  readonly initialize?: InitializeRequest;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface Place<Value> {
  readonly put: (value: Value, into: Placed, options: GivenOptions) => void;
  /** Reads the value back from what the agent received. Absent: the option is never sent. */
  readonly readBack?: (received: ReceivedOptions) => unknown;
  /** The defaults when the option is not given. */
  readonly fallback?: Partial<ClientSettings>;
}

/** Nothing is sent to the agent: the client acts on the option where it needs it. */
export const clientSide: Place<unknown> = { put: () => {} };

export function toPlan<Field extends keyof AgentPlan>(field: Field): Place<NonNullable<AgentPlan[Field]>> {
  return {
    put: (value, { plan }) => {
      plan[field] = value;
    },
    readBack: ({ plan }) => plan?.[field],
  };
}

/** Like `toPlan`, but 0 means not given: programs pass it for "no limit". */
export function limitToPlan(field: 'maxBudgetUsd' | 'maxTurns'): Place<number> {
  return {
    put: (value, { plan }) => {
      if (value !== 0) plan[field] = value;
    },
    readBack: ({ plan }) => plan?.[field],
  };
}

/** One rule per item, so that no agent has to take a text apart. */
export function rulesToPlan(field: 'allowedTools' | 'disallowedTools', kind: RuleKind): Place<string[]> {
  return {
    put: (entries, { plan }) => {
      plan[field] = entries.flatMap((entry) => rulesIn(entry, kind));
    },
    readBack: ({ plan }) => plan?.[field],
  };
}

export function toInitialize<Field extends keyof InitializeRequest>(
  field: Field,
): Place<NonNullable<InitializeRequest[Field]>> {
  return {
    put: (value, { initialize }) => {
      initialize[field] = value;
    },
    readBack: ({ initialize }) => initialize?.[field],
  };
}

/** `textOf` returns the value of the variable; with undefined it is not set. */
export function toEnvironment<Value>(
  name: string,
  textOf: (value: Value) => string | undefined,
): Place<Value> {
  return {
    put: (value, { env }) => {
      const text = textOf(value);
      if (text !== undefined) env[name] = text;
    },
    readBack: ({ env }) => env?.[name],
  };
}

export function toSetting<Name extends keyof ClientSettings>(
  name: Name,
  fallback: ClientSettings[Name],
): Place<NonNullable<ClientSettings[Name]>> {
  return {
    put: (value, { settings }) => {
      settings[name] = value;
    },
    fallback: { [name]: fallback },
  };
}

/** How a value is checked: the test, and what error messages say the value must be. */
export interface Kind {
  readonly expected: string;
  accepts(value: unknown): boolean;
  /** The names an object may have where we define its shape. Others are mistakes. */
  readonly fields?: readonly string[];
}

export const text: Kind = { expected: 'a string', accepts: (value) => typeof value === 'string' };
export const filled: Kind = {
  expected: 'a string that is not empty',
  accepts: (value) => typeof value === 'string' && value !== '',
};
export const truth: Kind = { expected: 'true or false', accepts: (value) => typeof value === 'boolean' };
export const list: Kind = { expected: 'an array', accepts: Array.isArray };
export const record: Kind = { expected: 'an object', accepts: isRecord };
export const callback: Kind = { expected: 'a function', accepts: (value) => typeof value === 'function' };
export const callbacks: Kind = {
  expected: 'an array of functions',
  accepts: (value) => Array.isArray(value) && value.every((each) => typeof each === 'function'),
};
export const positive: Kind = {
  expected: 'a number above 0',
  accepts: (value) => typeof value === 'number' && value > 0,
};
export const nonNegative: Kind = {
  expected: 'a number, 0 or above',
  accepts: (value) => typeof value === 'number' && value >= 0,
};

export function oneOf(...values: readonly string[]): Kind {
  return {
    expected: values.map((value) => JSON.stringify(value)).join(' or '),
    accepts: (value) => values.includes(value as string),
  };
}

/** Any of several kinds. */
export function either(...kinds: readonly Kind[]): Kind {
  return {
    expected: kinds.map(({ expected }) => expected).join(' or '),
    accepts: (value) => kinds.some((kind) => kind.accepts(value)),
    fields: kinds.flatMap(({ fields = [] }) => fields),
  };
}

/** An object that may only have the given names. */
export function shape(
  expected: string,
  fields: readonly string[],
  accepts: Kind['accepts'] = isRecord,
): Kind {
  return { expected, accepts, fields };
}

const BOUNDS = ['maxBytes', 'maxFrameBytes', 'maxRuns'] as const;

/** Where to record, with bounds. */
export const recording: Kind = shape(
  '{ path, maxBytes?, maxFrameBytes?, maxRuns?, exchanges? }, with a path, numbers above 0, and true or false',
  ['path', ...BOUNDS, 'exchanges'],
  (value) =>
    isRecord(value) &&
    filled.accepts(value.path) &&
    BOUNDS.every((name) => value[name] == null || positive.accepts(value[name])) &&
    (value.exchanges == null || typeof value.exchanges === 'boolean'),
);
