import type { JsonSchema } from './json-schema.js';
import { resolveReference } from './references.js';

/**
 * Models sometimes send an object or an array as JSON text. Where the schema wants one and does not allow a string,
 * the text is parsed. `repaired` names the places, so that nothing is changed without a trace.
 */
export function repairJsonText(schema: JsonSchema, value: unknown): { value: unknown; repaired: string[] } {
  const repaired: string[] = [];
  const repair = (part: unknown, given: unknown, path: string): unknown => {
    const wanted = resolveReference(part, schema);
    if (typeof given === 'string') {
      const parsed = allowsString(wanted, schema) ? undefined : parseStructure(given, wanted);
      if (parsed === undefined) return given;
      repaired.push(path);
      return repair(wanted, parsed, path);
    }
    if (Array.isArray(given)) {
      const items = wanted?.items;
      return items === undefined
        ? given
        : given.map((item, index) => repair(items, item, `${path}[${index}]`));
    }
    if (typeof given !== 'object' || given === null) return given;
    const properties = (wanted?.properties ?? {}) as Record<string, unknown>;
    return Object.fromEntries(
      Object.entries(given).map(([key, item]) => [
        key,
        repair(
          Object.hasOwn(properties, key) ? properties[key] : wanted?.additionalProperties,
          item,
          path === '' ? key : `${path}.${key}`,
        ),
      ]),
    );
  };
  return { value: repair(schema, value, ''), repaired };
}

/** A place that says nothing of types allows everything. */
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
  if (!/^\s*[[{]/.test(text)) return undefined;
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
