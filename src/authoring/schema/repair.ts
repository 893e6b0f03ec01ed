import type { JsonSchema } from './json-schema.js';

/**
 * Models sometimes send an object or an array as JSON text. Where the schema wants one and does not allow a string,
 * the text is parsed. `repaired` names the places, so that nothing is changed without a trace.
 */
export function repairJsonText(schema: JsonSchema, value: unknown): { value: unknown; repaired: string[] } {
  const repaired: string[] = [];
  const repair = (part: unknown, given: unknown, path: string): unknown => {
    const wanted = resolve(part, schema);
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
        key in properties ? repair(properties[key], item, path === '' ? key : `${path}.${key}`) : item,
      ]),
    );
  };
  return { value: repair(schema, value, ''), repaired };
}

/** Dates cannot be sent: where a check says that it wanted one and got an ISO text, it gets the date. */
export function repairDates(value: unknown, paths: readonly (readonly PropertyKey[])[]): unknown | undefined {
  const copy = structuredClone(value);
  let changed = false;
  for (const path of paths) {
    const key = path.at(-1);
    let parent: unknown = copy;
    for (const step of path.slice(0, -1))
      parent = (parent as Record<PropertyKey, unknown> | undefined)?.[step];
    if (key === undefined || typeof parent !== 'object' || parent === null) continue;
    const holder = parent as Record<PropertyKey, unknown>;
    const text = holder[key];
    if (typeof text !== 'string' || !ISO_DATE.test(text) || Number.isNaN(Date.parse(text))) continue;
    holder[key] = new Date(text);
    changed = true;
  }
  return changed ? copy : undefined;
}

const ISO_DATE = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

function resolve(part: unknown, root: JsonSchema): JsonSchema | undefined {
  let schema = part as JsonSchema | undefined;
  for (let hops = 0; hops < 10 && typeof schema?.$ref === 'string'; hops += 1) {
    schema = schema.$ref
      .slice(1)
      .split('/')
      .filter((step) => step !== '')
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>((at, step) => (at as JsonSchema | undefined)?.[step], root) as JsonSchema | undefined;
  }
  return typeof schema === 'object' ? schema : undefined;
}

/** A place that says nothing of types allows everything. */
function allowsString(schema: JsonSchema | undefined, root: JsonSchema): boolean {
  if (schema === undefined) return true;
  const branches = (schema.anyOf ?? schema.oneOf) as unknown[] | undefined;
  if (branches !== undefined) return branches.some((branch) => allowsString(resolve(branch, root), root));
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
