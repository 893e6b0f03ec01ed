import { isRecord, kindOf } from '../base/kinds.js';
import type {
  AgentRequestFields,
  AgentRequestPayload,
  AgentSubtype,
  HostRequestFields,
  HostRequestPayload,
  HostSubtype,
} from '../wire/control-requests.js';
import { ControlFault } from './control-channel.js';

/**
 * A request as received. Its field names are those of the table of control requests; the values come from the
 * other side and stay `unknown` until their reader has checked them.
 */
export type Received<Fields> = { readonly subtype: string } & { readonly [Name in keyof Fields]?: unknown };

/** One handler for each request the agent can make. */
export type AgentRequestHandlers<Context extends unknown[]> = {
  readonly [Subtype in AgentSubtype]: (
    fields: Received<AgentRequestFields<Subtype>>,
    ...context: Context
  ) => Answer<AgentRequestPayload<Subtype>>;
};

/**
 * Handlers for the host's requests. A request without a handler is answered with an `unsupported_request`
 * error.
 */
export type HostRequestHandlers<Context extends unknown[]> = {
  readonly [Subtype in HostSubtype]?: (
    fields: Received<HostRequestFields<Subtype>>,
    ...context: Context
  ) => Answer<HostRequestPayload<Subtype>>;
};

type Answer<Payload> = Payload | VoidFor<Payload> | Promise<Payload | VoidFor<Payload>>;

/** A handler whose answer has no payload need not return anything. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler without a return statement returns void.
type VoidFor<Payload> = undefined extends Payload ? void : never;

type Named = { readonly subtype: string };
type FieldOf<Fields> = Exclude<keyof Fields, 'subtype'> & string;

export function textField<Fields extends Named>(fields: Fields, name: FieldOf<Fields>): string {
  const value = fields[name];
  return typeof value === 'string' ? value : wrongKind(fields, name, 'a string');
}

export function optionalText<Fields extends Named>(
  fields: Fields,
  name: FieldOf<Fields>,
): string | undefined {
  return fields[name] == null ? undefined : textField(fields, name);
}

export function numberField<Fields extends Named>(fields: Fields, name: FieldOf<Fields>): number {
  const value = fields[name];
  return typeof value === 'number' ? value : wrongKind(fields, name, 'a number');
}

export function flagField<Fields extends Named>(fields: Fields, name: FieldOf<Fields>): boolean {
  const value = fields[name];
  return typeof value === 'boolean' ? value : wrongKind(fields, name, 'a boolean');
}

export function recordField<Fields extends Named>(
  fields: Fields,
  name: FieldOf<Fields>,
): Record<string, unknown> {
  const value = fields[name];
  return isRecord(value) ? value : wrongKind(fields, name, 'an object');
}

/** For checks that only the reader can make; `wanted` says what the field must be. */
export function invalidField(fields: Named, name: string, wanted: string): never {
  throw new ControlFault('invalid_request', `${fields.subtype}: \`${name}\` must be ${wanted}.`);
}

function wrongKind(fields: Named, name: string, wanted: string): never {
  const value = (fields as Readonly<Record<string, unknown>>)[name];
  return invalidField(fields, name, `${wanted}; it is ${value === undefined ? 'missing' : kindOf(value)}`);
}
