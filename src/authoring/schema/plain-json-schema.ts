import { schemaCheck } from '../../mcp/schema-check.js';
import type { JsonSchemaInput } from './from-json-schema.js';
import type { JsonSchema } from './json-schema.js';
import { isStandardSchema } from './standard-schema.js';

/** Tells plain JSON Schema from a raw shape, in which every value is a schema object of some library. */
export function isPlainJsonSchema(schema: object): schema is JsonSchemaInput {
  if (isStandardSchema(schema)) return false;
  const { type, properties, oneOf, anyOf, allOf, $ref, $schema } = schema as Record<string, unknown>;
  if (typeof type === 'string' || typeof $schema === 'string' || typeof $ref === 'string') return true;
  if ([oneOf, anyOf, allOf].some(Array.isArray)) return true;
  return (
    typeof properties === 'object' &&
    properties !== null &&
    !isStandardSchema(properties) &&
    !('_def' in properties)
  );
}

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']);

/**
 * The first mistake in a JSON Schema and its place, or undefined. Finds only the mistakes that people make by hand;
 * the validator, which is loaded later, decides whether the whole is valid.
 */
export function findSchemaMistake(schema: unknown, path = '#'): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    return `${path} must be a schema (an object or a boolean); it is ${JSON.stringify(schema)}`;
  }
  const { type, properties, required, items, enum: values } = schema as JsonSchema;
  for (const each of Array.isArray(type) ? type : type === undefined ? [] : [type]) {
    if (!TYPES.has(each as string)) return `${path}/type: ${JSON.stringify(each)} is not a JSON Schema type`;
  }
  if (
    required !== undefined &&
    !(Array.isArray(required) && required.every((key) => typeof key === 'string'))
  ) {
    return `${path}/required must be an array of property names; it is ${JSON.stringify(required)}`;
  }
  if (values !== undefined && !Array.isArray(values)) return `${path}/enum must be an array`;
  if (properties !== undefined) {
    if (typeof properties !== 'object' || properties === null) return `${path}/properties must be an object`;
    for (const [name, property] of Object.entries(properties)) {
      const mistake = findSchemaMistake(property, `${path}/properties/${name}`);
      if (mistake !== undefined) return mistake;
    }
  }
  if (items !== undefined && !Array.isArray(items)) return findSchemaMistake(items, `${path}/items`);
  for (const keyword of ['oneOf', 'anyOf', 'allOf'] as const) {
    const branches = (schema as JsonSchema)[keyword];
    if (branches === undefined) continue;
    if (!Array.isArray(branches)) return `${path}/${keyword} must be an array`;
    for (const [index, branch] of branches.entries()) {
      const mistake = findSchemaMistake(branch, `${path}/${keyword}/${index}`);
      if (mistake !== undefined) return mistake;
    }
  }
  return undefined;
}

/** A copy of the value with the defaults that the schema gives for missing properties. */
export function withDefaults(schema: unknown, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { properties, items } = (schema ?? {}) as JsonSchema;
  if (Array.isArray(value)) return value.map((item) => withDefaults(items, item));
  if (typeof properties !== 'object' || properties === null) return value;
  const filled: Record<string, unknown> = { ...value };
  for (const [name, property] of Object.entries(properties as Record<string, JsonSchema>)) {
    if (Object.hasOwn(filled, name)) filled[name] = withDefaults(property, filled[name]);
    else if (property?.default !== undefined) filled[name] = structuredClone(property.default);
  }
  return filled;
}

export type PlainCheck = (value: unknown) => string | undefined;

export async function compilePlainSchema(schema: object): Promise<PlainCheck> {
  const validate = await schemaCheck(schema);
  return (value) => {
    const result = validate(value);
    return result.valid
      ? undefined
      : (result.errorMessage ?? 'invalid').replaceAll(/\bdata\//g, '').replaceAll(/\bdata /g, '');
  };
}
