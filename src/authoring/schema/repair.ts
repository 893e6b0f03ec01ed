import type { JsonSchema } from './json-schema.js';
import { resolveReference } from './references.js';

const STRUCTURE = /^\s*[[{]/;

/**
 * Models sometimes send an object or an array as JSON text. Where the schema wants one and does not allow a string,
 * the text is parsed. `repaired` names the places, so that no change goes unrecorded.
 */
export function repairJsonText(schema: JsonSchema, value: unknown): Repaired {
  return needsNoLook(value) ? { value, repaired: NOTHING } : repairParts(schema, value);
}

interface Repaired {
  value: unknown;
  repaired: readonly string[];
}

const NOTHING: readonly string[] = Object.freeze([]);

/** Most arguments are numbers and words only. */
function needsNoLook(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  for (const key in value) if (mayNeedRepair((value as Record<string, unknown>)[key])) return false;
  return true;
}

function repairParts(schema: JsonSchema, value: unknown): Repaired {
  const repaired: string[] = [];
  const repair = (part: unknown, given: unknown, path: string): unknown => {
    const wanted = resolveReference(part, schema);
    if (typeof given === 'string') {
      const parsed = allowsString(wanted, schema) ? undefined : parseStructure(given, wanted);
      if (parsed === undefined) return given;
      repaired.push(path);
      return repair(wanted, parsed, path);
    }
    if (typeof given !== 'object' || given === null) return given;
    const isArray = Array.isArray(given);
    const properties = (wanted?.properties ?? {}) as Record<string, unknown>;
    const partOf = (key: string): unknown => {
      if (isArray) return wanted?.items;
      return Object.hasOwn(properties, key) ? properties[key] : wanted?.additionalProperties;
    };
    // Copied only when something in it is repaired, which is rare.
    let copy: Record<string, unknown> | undefined;
    for (const [key, item] of Object.entries(given)) {
      // A number or a short word needs neither its schema nor a path.
      if (!mayNeedRepair(item)) continue;
      const place = isArray ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
      const better = repair(partOf(key), item, place);
      if (better === item) continue;
      copy ??= (isArray ? [...given] : { ...given }) as Record<string, unknown>;
      copy[key] = better;
    }
    return copy ?? given;
  };
  return { value: repair(schema, value, ''), repaired };
}

function mayNeedRepair(value: unknown): boolean {
  return typeof value === 'string' ? STRUCTURE.test(value) : typeof value === 'object';
}

/** A schema without a type allows everything. */
function allowsString(schema: JsonSchema | undefined, root: JsonSchema): boolean {
  if (schema === undefined) return true;
  const branches = (schema.anyOf ?? schema.oneOf) as unknown[] | undefined;
  if (branches !== undefined)
    return branches.some((branch) => allowsString(resolveReference(branch, root), root));
  if (schema.const !== undefined) return typeof schema.const === 'string';
  if (Array.isArray(schema.enum)) return schema.enum.some((each) => typeof each === 'string');
  if (schema.type === undefined) return true;
  return schema.type === 'string' || (Array.isArray(schema.type) && schema.type.includes('string'));
}

function parseStructure(text: string, wanted: JsonSchema | undefined): object | undefined {
  if (!STRUCTURE.test(text)) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    const isArray = Array.isArray(parsed);
    if (wanted?.type === 'array' && !isArray) return undefined;
    if (wanted?.type === 'object' && isArray) return undefined;
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined;
  } catch {
    return undefined;
  }
}
