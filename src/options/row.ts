import type { InitializeRequest } from '../protocol/wire/control-requests.js';
import type { Kind } from './kinds.js';
import type { Options } from './options.js';
import type { AgentPlan } from './plan.js';

/** Options as given: an option that was not given is absent, never `undefined` or `null`. */
export type GivenOptions = { readonly [Name in keyof Options]?: NonNullable<Options[Name]> };

/** One option: how it is checked, where it goes, and what the embedded runtime does with it. */
export interface Row<Value> {
  readonly kind: Kind;
  readonly to: Place<Value>;
  readonly embedded: Support | ((value: Value) => Support);
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
