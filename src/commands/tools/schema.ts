import { isRecord } from '../../protocol/base/kinds.js';

/** A part of a JSON Schema. It was written by others: anything may be missing or wrong. */
export type Schema = Readonly<Record<string, unknown>>;

/** One argument of a tool, or of an object in it: `address.city`. */
export interface ToolArgument {
  readonly path: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** Schemas may refer to themselves. */
const DEEPEST = 5;

/** The arguments of a tool; those of objects in it follow the object itself. */
export function argumentsOf(
  root: Schema,
  schema: Schema = root,
  parents: readonly string[] = [],
): ToolArgument[] {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  return Object.entries(propertiesOf(schema)).flatMap(([name, given]) => {
    const path = [...parents, name];
    const property = resolved(root, given);
    const own = { path: path.join('.'), schema: property, isRequired: required.has(name) };
    return path.length >= DEEPEST ? [own] : [own, ...argumentsOf(root, property, path)];
  });
}

export function propertiesOf(schema: Schema): Schema {
  return isRecord(schema.properties) ? schema.properties : {};
}

/** Follows references inside the schema: `#/$defs/address`. */
export function resolved(root: Schema, given: unknown): Schema {
  let schema = isRecord(given) ? given : {};
  for (let step = 0; step < DEEPEST && typeof schema.$ref === 'string'; step += 1) {
    const { $ref, ...rest } = schema;
    const target = at(root, $ref as string);
    if (target === undefined) return rest;
    schema = { ...target, ...rest };
  }
  return schema;
}

function at(root: Schema, reference: string): Schema | undefined {
  if (!reference.startsWith('#')) return undefined;
  let value: unknown = root;
  for (const part of reference.slice(1).split('/').filter(Boolean)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    value = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return isRecord(value) ? value : undefined;
}

/** The alternatives of a schema; itself if there are none. */
export function alternatives(root: Schema, schema: Schema): Schema[] {
  for (const key of ['anyOf', 'oneOf']) {
    const list = schema[key];
    if (Array.isArray(list) && list.length > 0) return list.map((each) => resolved(root, each));
  }
  if (Array.isArray(schema.type)) return schema.type.map((type) => ({ ...schema, type }));
  return [schema];
}

/** The type in the words of TypeScript: `"left" | "right"`, `string[]`, `number`. */
export function typeText(root: Schema, schema: Schema, depth = 0): string {
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const either = alternatives(root, schema);
  if (depth < DEEPEST && (either.length > 1 || either[0] !== schema)) {
    return [...new Set(either.map((each) => typeText(root, each, depth + 1)))].join(' | ');
  }
  if (schema.type === 'array') return `${itemText(root, schema, depth)}[]`;
  if (typeof schema.type === 'string') return schema.type;
  return 'properties' in schema ? 'object' : 'any';
}

function itemText(root: Schema, schema: Schema, depth: number): string {
  if (!isRecord(schema.items) || depth >= DEEPEST) return 'any';
  const text = typeText(root, resolved(root, schema.items), depth + 1);
  return text.includes(' | ') ? `(${text})` : text;
}

/** What a value must keep to besides its type: `1 to 10`, `default 3`. */
export function boundsText(schema: Schema): string {
  const { minimum, maximum, minLength, maxLength, format, pattern } = schema;
  const parts = [
    range(minimum, maximum, ''),
    range(minLength, maxLength, ' characters'),
    typeof format === 'string' ? format : '',
    typeof pattern === 'string' ? `like /${pattern}/` : '',
    'default' in schema ? `default ${JSON.stringify(schema.default)}` : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

/** Libraries write the largest safe integer for "none". */
function range(low: unknown, high: unknown, unit: string): string {
  const from = typeof low === 'number' && low > Number.MIN_SAFE_INTEGER ? low : undefined;
  const to = typeof high === 'number' && high < Number.MAX_SAFE_INTEGER ? high : undefined;
  if (from === undefined && to === undefined) return '';
  if (to === undefined) return `at least ${from}${unit}`;
  return from === undefined ? `at most ${to}${unit}` : `${from} to ${to}${unit}`;
}
