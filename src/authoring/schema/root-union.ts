import type { JsonSchema } from './json-schema.js';
import { moveReferences, withoutReference } from './references.js';

/**
 * The Claude Code CLI silently hides a tool whose schema has `oneOf`, `anyOf` or `allOf` at its root. So it gets one
 * object with the properties of all branches, and what the model then sends is checked against the real schema.
 */
export function flattenRootUnion(schema: JsonSchema): JsonSchema {
  const flat = flatten(schema, schema, 0);
  if (flat === schema) return schema;
  const { oneOf, anyOf, allOf } = schema;
  const leadsIntoUnion = (reference: string): boolean => /^#\/(oneOf|anyOf|allOf)\//.test(reference);
  if (!/"#\/(oneOf|anyOf|allOf)\//.test(JSON.stringify(schema))) return flat;
  // Branches that are referred to from elsewhere are kept among the definitions.
  const definitions = { ...(flat.definitions as object | undefined), [KEPT]: { oneOf, anyOf, allOf } };
  return moveReferences({ ...flat, definitions }, `#/definitions/${KEPT}`, leadsIntoUnion) as JsonSchema;
}

const KEPT = 'branches';
const MAX_DEPTH = 10;

function flatten(given: JsonSchema, root: JsonSchema, depth: number): JsonSchema {
  const schema = withoutReference(given, root);
  const { oneOf, anyOf, allOf, ...rest } = schema;
  const alternatives = (oneOf ?? anyOf) as JsonSchema[] | undefined;
  // A union of itself says nothing about properties.
  if ((alternatives === undefined && allOf === undefined) || depth > MAX_DEPTH) return schema;
  const flattenAll = (branches: unknown): JsonSchema[] =>
    ((branches ?? []) as JsonSchema[]).map((branch) => flatten(branch, root, depth + 1));
  const parts = [rest, ...flattenAll(allOf)];
  if (alternatives !== undefined) parts.push(mergeAlternatives(flattenAll(alternatives)));
  const merged = parts.reduce(mergeBoth);
  return { ...rest, ...merged, type: 'object' };
}

/** Whether a union at the root has only objects in it, which is all that a tool's arguments can be. */
export function findNonObjectBranch(schema: JsonSchema, path = '#'): string | undefined {
  for (const keyword of ['oneOf', 'anyOf', 'allOf'] as const) {
    for (const [index, branch] of ((schema[keyword] as JsonSchema[] | undefined) ?? []).entries()) {
      const place = `${path}/${keyword}/${index}`;
      if (branch.type !== undefined && branch.type !== 'object') return place;
      const deeper = findNonObjectBranch(branch, place);
      if (deeper !== undefined) return deeper;
    }
  }
  return undefined;
}

/** All properties of all branches; only what every branch requires is required. */
function mergeAlternatives(branches: JsonSchema[]): JsonSchema {
  const properties: Record<string, unknown> = {};
  for (const name of new Set(branches.flatMap((branch) => Object.keys(propertiesOf(branch))))) {
    const variants = branches
      .map((branch) => propertiesOf(branch)[name])
      .filter((each) => each !== undefined);
    properties[name] = oneOfThese(variants);
  }
  const required = requiredOf(branches[0] ?? {}).filter((name) =>
    branches.every((branch) => requiredOf(branch).includes(name)),
  );
  return { properties, ...(required.length > 0 ? { required } : {}) };
}

/** Both must hold: the properties and the required keys of both. */
function mergeBoth(left: JsonSchema, right: JsonSchema): JsonSchema {
  const required = [...new Set([...requiredOf(left), ...requiredOf(right)])];
  return {
    ...left,
    ...right,
    properties: { ...propertiesOf(left), ...propertiesOf(right) },
    ...(required.length > 0 ? { required } : {}),
  };
}

/** The tag of a discriminated union becomes an enum; other properties that differ become a choice. */
function oneOfThese(variants: JsonSchema[]): unknown {
  const distinct = [...new Map(variants.map((variant) => [JSON.stringify(variant), variant])).values()];
  const [first] = distinct;
  if (distinct.length === 1) return first;
  const values = distinct.map((variant) => ('const' in variant ? [variant.const] : variant.enum));
  if (values.every(Array.isArray)) {
    const { const: _const, enum: _enum, ...rest } = first ?? {};
    return { ...rest, enum: [...new Set(values.flat())] };
  }
  return { anyOf: distinct };
}

function propertiesOf(schema: JsonSchema): Record<string, JsonSchema> {
  return (schema.properties as Record<string, JsonSchema> | undefined) ?? {};
}

function requiredOf(schema: JsonSchema): string[] {
  return (schema.required as string[] | undefined) ?? [];
}
