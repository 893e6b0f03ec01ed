import type { JsonSchema } from './json-schema.js';

/** The schema itself, or the target of its `$ref` inside the root; undefined if that leads nowhere. */
export function resolveReference(part: unknown, root: JsonSchema): JsonSchema | undefined {
  let schema = part as JsonSchema | undefined;
  for (let hops = 0; hops < 10 && typeof schema?.$ref === 'string'; hops += 1) {
    schema = schema.$ref
      .slice(1)
      .split('/')
      .filter((step) => step !== '')
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>((at, step) => (at as JsonSchema | undefined)?.[step], root) as JsonSchema | undefined;
  }
  return typeof schema === 'object' && schema !== null ? schema : undefined;
}

/** Puts the target of a reference in its place: many clients look for `properties` right there. */
export function withoutReference(schema: JsonSchema, root: JsonSchema): JsonSchema {
  if (typeof schema.$ref !== 'string') return schema;
  const { $ref: _reference, ...rest } = schema;
  return { ...resolveReference(schema, root), ...rest };
}

/** A copy in which the references that `wants` picks begin at another place. */
export function moveReferences(
  value: unknown,
  place: string,
  wants: (reference: string) => boolean = () => true,
): unknown {
  if (Array.isArray(value)) return value.map((item) => moveReferences(item, place, wants));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) =>
      key === '$ref' && typeof item === 'string' && item.startsWith('#') && wants(item)
        ? [key, place + item.slice(1)]
        : [key, moveReferences(item, place, wants)],
    ),
  );
}
