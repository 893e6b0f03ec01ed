import { OptionError } from '../../index.js';
import { messageOf } from '../../protocol/base/errors.js';
import { isRecord, setOwn } from '../../protocol/base/kinds.js';
import { closest } from '../../protocol/base/similar.js';
import { argumentsOf, propertiesOf, resolved, type Schema } from '../tools/schema.js';
import { typedValue } from './typed-value.js';

type Input = Record<string, unknown>;

/**
 * The arguments of a call from words: `product=hammer`, `address.city=Bonn`, `tags=a tags=b`, `filter:={"a":1}`. The
 * schema gives each its type. A mistake throws an `OptionError` that names the argument and the remedy.
 */
export function readCallArguments(words: readonly string[], schema: Schema, given: Input = {}): Input {
  const input: Input = structuredClone(given);
  const seen: Seen = new Map();
  for (const word of words) place(word, schema, input, seen);
  return input;
}

/** How each name was given so far; elements of an array may be repeated. */
type Seen = Map<string, 'element' | 'value'>;

/** Throws if an argument is missing that the schema requires. */
export function checkRequired(input: Input, schema: Schema, tool: string): void {
  const required = argumentsOf(schema).filter(({ isRequired, path }) => isRequired && !path.includes('.'));
  const missing = required.filter(({ path }) => !Object.hasOwn(input, path));
  if (missing.length === 0) return;
  const names = missing.map(({ path }) => path).join(', ');
  throw new OptionError(
    'arguments',
    input,
    `"${tool}" needs ${missing.length === 1 ? 'the argument' : 'the arguments'} ${names}: ` +
      missing.map(({ path }) => `${path}=…`).join(' '),
  );
}

function place(word: string, root: Schema, input: Input, seen: Seen): void {
  const { name, sign, text } = parts(word);
  const { path, schema } = find(root, name);
  const value = sign === ':=' ? json(name, text) : typedValue(root, schema, name, text);
  const parent = parentOf(input, path, name);
  const key = path.at(-1) as string;
  const isElement = sign === '=' && Array.isArray(value) && !text.trimStart().startsWith('[');
  const before = seen.get(name);
  seen.set(name, isElement ? 'element' : 'value');
  if (before === undefined) setOwn(parent, key, value);
  else if (isElement && before === 'element')
    setOwn<unknown>(parent, key, [...(parent[key] as unknown[]), ...value]);
  else throw new OptionError('arguments', word, `${name} is given twice, and takes one value.`);
}

function parts(word: string): { name: string; sign: string; text: string } {
  const [, name, sign = '=', text = ''] = /^([^=]+?)(:?=)(.*)$/s.exec(word) ?? [];
  if (name !== undefined) return { name, sign, text };
  throw new OptionError(
    'arguments',
    word,
    `"${word}" is no argument. Write name=value, name.part=value or name:=<JSON>.`,
  );
}

/** Creates the objects on the way. */
function parentOf(input: Input, path: readonly string[], name: string): Input {
  let parent = input;
  for (const part of path.slice(0, -1)) {
    if (!Object.hasOwn(parent, part)) setOwn<unknown>(parent, part, {});
    const next = parent[part];
    if (!isRecord(next)) {
      throw new OptionError('arguments', name, `${name}: ${part} has a value already that is no object.`);
    }
    parent = next;
  }
  return parent;
}

/** Where a name leads in the schema. A property may have a dot in its own name. */
function find(root: Schema, name: string): { path: string[]; schema: Schema } {
  if (Object.hasOwn(propertiesOf(root), name)) {
    return { path: [name], schema: resolved(root, propertiesOf(root)[name]) };
  }
  const path = name.split('.');
  let schema = root;
  for (const [index, part] of path.entries()) {
    const properties = propertiesOf(schema);
    if (Object.hasOwn(properties, part)) schema = resolved(root, properties[part]);
    else if (isOpen(schema)) schema = resolved(root, schema.additionalProperties);
    else throw unknownArgument(root, name, path.slice(0, index).join('.'), schema);
  }
  return { path, schema };
}

/** Most schemas do not say whether they take more; a name that is not there is then more likely a slip. */
function isOpen(schema: Schema): boolean {
  const { additionalProperties: more } = schema;
  if (more === true || isRecord(more)) return true;
  return more === undefined && Object.keys(propertiesOf(schema)).length === 0;
}

function unknownArgument(root: Schema, name: string, parent: string, schema: Schema): OptionError {
  const names = argumentsOf(root).map(({ path }) => path);
  const suggestion = closest(name, names);
  const beside = Object.keys(propertiesOf(schema)).map((each) =>
    parent === '' ? each : `${parent}.${each}`,
  );
  const remedy =
    suggestion !== undefined
      ? `Did you mean ${suggestion}?`
      : beside.length === 0
        ? 'It takes none.'
        : `The arguments are: ${beside.join(', ')}.`;
  return new OptionError('arguments', name, `there is no argument "${name}". ${remedy}`);
}

function json(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new OptionError('arguments', text, `${name}:=… must be JSON: ${messageOf(error)}.`);
  }
}
