import { OptionError } from '../../index.js';
import { messageOf } from '../../protocol/base/errors.js';
import { alternatives, resolved, type Schema, typeText } from '../tools/schema.js';

/** The value that a text stands for, by the type that the schema gives. */
export function typedValue(root: Schema, schema: Schema, name: string, text: string): unknown {
  const exact = oneOf(schema, text);
  if (exact !== undefined) return exact.value;
  // The first that fits; a text fits everything, so it is tried last.
  const either = alternatives(root, schema).sort(
    (a, b) => Number(a.type === 'string') - Number(b.type === 'string'),
  );
  const failures: OptionError[] = [];
  for (const each of either) {
    try {
      return valueFor(root, each, name, text);
    } catch (error) {
      failures.push(error as OptionError);
    }
  }
  if (failures.length === 1) throw failures[0];
  throw refused(name, text, `must be ${typeText(root, schema)}`);
}

/** Of a list of allowed values, the one that is written like this. The server says what is wrong with any other. */
function oneOf({ enum: values, const: only }: Schema, text: string): { value: unknown } | undefined {
  const allowed = Array.isArray(values) ? values : only === undefined ? [] : [only];
  const index = allowed.findIndex(
    (value) => (typeof value === 'string' ? value : JSON.stringify(value)) === text,
  );
  return index === -1 ? undefined : { value: allowed[index] };
}

function valueFor(root: Schema, schema: Schema, name: string, text: string): unknown {
  switch (schema.type) {
    case 'string':
      return text;
    case 'number':
    case 'integer':
      return numberOf(name, text);
    case 'boolean':
      if (text === 'true' || text === 'false') return text === 'true';
      throw refused(name, text, 'must be true or false');
    case 'null':
      if (text === 'null') return null;
      throw refused(name, text, 'must be null');
    case 'array':
      if (text.trimStart().startsWith('[')) return jsonOf(name, text, 'an array as JSON');
      return [typedValue(root, resolved(root, schema.items), name, text)];
    case 'object':
      return jsonOf(name, text, `an object: ${name}:='{"…":…}' or ${name}.<part>=…`);
    default:
      return anyOf(text);
  }
}

function numberOf(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value)) return value;
  throw refused(name, text, 'must be a number');
}

function jsonOf(name: string, text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refused(name, text, `must be ${what} (${messageOf(error)})`);
  }
}

/** Where anything may stand, a text that is no JSON is a text. */
function anyOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function refused(name: string, text: string, what: string): OptionError {
  return new OptionError('arguments', text, `${name} ${what}; it is "${text}".`);
}
