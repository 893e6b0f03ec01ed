import { kindOf } from '../../protocol/base/kinds.js';

/** The part of a JSON Schema that the inputs of the built-in tools are described with. */
export interface InputSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, Parameter>>;
  readonly required?: readonly string[];
  readonly additionalProperties: false;
  readonly [key: string]: unknown;
}

interface Parameter {
  readonly type: string;
  readonly enum?: readonly unknown[];
  readonly [key: string]: unknown;
}

type Fields = Record<string, unknown>;

/**
 * The input of a call with each field of its kind. Models write numbers and booleans as text now and then; those are
 * taken for what they mean. Throws with what is wrong, for the model to mend.
 */
export function checkedInput(tool: string, schema: InputSchema, input: Readonly<Fields>): Fields {
  const { properties, required = [] } = schema;
  const problems = required
    .filter((name) => input[name] == null)
    .map((name) => `the parameter \`${name}\` is missing`);
  const checked: Fields = {};
  for (const [name, value] of Object.entries(input)) {
    const wanted = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (wanted === undefined) problems.push(`there is no parameter \`${name}\``);
    else if (value != null) {
      const meant = asKind(value, wanted);
      if (meant === undefined)
        problems.push(`\`${name}\` must be ${expected(wanted)}, it is ${shown(value)}`);
      else checked[name] = meant;
    }
  }
  if (problems.length > 0) throw new Error(`InputValidationError: ${tool}: ${problems.join('; ')}.`);
  return checked;
}

/** The same for whoever looks at the call: with defaults, and as it was given if it makes no sense. */
export function meantInput(
  tool: string,
  schema: InputSchema,
  input: Readonly<Fields>,
  defaults: Readonly<Fields> = {},
): Readonly<Fields> {
  try {
    return { ...defaults, ...checkedInput(tool, schema, input) };
  } catch {
    return input;
  }
}

function expected({ type, enum: values }: Parameter): string {
  return values === undefined ? `of type ${type}` : values.map((each) => JSON.stringify(each)).join(' or ');
}

function shown(value: unknown): string {
  const isShort = typeof value === 'number' || (typeof value === 'string' && value.length <= 40);
  return isShort ? JSON.stringify(value) : kindOf(value);
}

function asKind(value: unknown, { type: wanted, enum: values }: Parameter): unknown {
  if (values !== undefined) return values.includes(value) ? value : undefined;
  if (wanted === 'array') return Array.isArray(value) ? value : undefined;
  if (wanted === 'integer') {
    const number = asKind(value, { type: 'number' });
    return Number.isSafeInteger(number) ? number : undefined;
  }
  if (typeof value === wanted) return value;
  if (typeof value !== 'string') return undefined;
  if (wanted === 'number') return /^-?\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : undefined;
  if (wanted === 'boolean') return { true: true, false: false }[value.trim()];
  return undefined;
}
