import { DATE, LIBRARY_OPTIONS, withoutMarks } from './library-options.js';
import { moveReferences } from './references.js';
import type { StandardSchema } from './standard-schema.js';
import { UNREPRESENTABLE, unrepresentable } from './zod-walk.js';

export type JsonSchema = Record<string, unknown>;

/** The version of JSON Schema that the CLI's own tools are written in. */
const TARGET = 'draft-07';
const DIALECT = 'http://json-schema.org/draft-07/schema#';

/** Whether a schema describes what comes in (a tool's arguments) or what goes out (its result). */
export type Direction = 'input' | 'output';

/** The JSON Schema of one schema, or a promise of it where a converter has to be loaded first. */
export function jsonSchemaOf(schema: unknown, direction: Direction): JsonSchema | Promise<JsonSchema> {
  const standard = (schema as Partial<StandardSchema>)['~standard'];
  if (standard?.jsonSchema !== undefined) {
    const { jsonSchema, vendor } = standard;
    const libraryOptions = isZod4(schema) ? ZOD_OPTIONS : LIBRARY_OPTIONS[vendor];
    const options = { target: TARGET, ...(libraryOptions === undefined ? {} : { libraryOptions }) };
    return withoutMarks(
      (direction === 'output' ? jsonSchema.output?.(options) : undefined) ?? jsonSchema.input(options),
    );
  }
  if (isZod4(schema)) return convertWithZod4(schema, direction);
  if (isZod3(schema)) return convertZod3(schema);
  throw new TypeError(
    `a schema of the library "${standard?.vendor ?? 'unknown'}" does not provide a JSON Schema. Use zod, plain JSON ` +
      'Schema, or a Standard Schema that carries `~standard.jsonSchema` (Valibot: wrap it with `toStandardJsonSchema`).',
  );
}

/** Dates travel as ISO text (see repair.ts). Anything else that JSON cannot express is an error that names the place. */
const ZOD_OPTIONS = {
  unrepresentable: 'any',
  override: ({ zodSchema, jsonSchema, path }: ZodOverride): void => {
    const { type } = zodSchema._zod.def;
    if (type === 'date') Object.assign(jsonSchema, DATE);
    else if (UNREPRESENTABLE.has(type)) {
      throw unrepresentable(
        path.filter((step) => step !== 'properties'),
        type,
      );
    }
  },
};

interface ZodOverride {
  zodSchema: { _zod: { def: { type: string } } };
  jsonSchema: JsonSchema;
  path: (string | number)[];
}

/** Several schemas as the properties of one object. */
export function objectJsonSchema(
  properties: readonly (readonly [name: string, schema: JsonSchema, required: boolean])[],
): JsonSchema {
  const required = properties.filter(([, , isRequired]) => isRequired).map(([name]) => name);
  return {
    $schema: DIALECT,
    type: 'object',
    properties: Object.fromEntries(properties.map(([name, schema]) => [name, nested(schema, name)])),
    ...(required.length > 0 ? { required } : {}),
  };
}

/** Whether a key may be left out. A `z.any()` accepts `undefined` but is still required, as in zod itself. */
export function isOptional(schema: unknown): boolean {
  if (isZod4(schema)) return schema._zod.optin !== undefined;
  if (isZod3(schema)) return schema.isOptional();
  const result = (schema as StandardSchema)['~standard'].validate(undefined);
  return !(result instanceof Promise) && result.issues === undefined;
}

/** A schema that becomes a property is no longer the root, so its references have to move with it. */
function nested(schema: JsonSchema, name: string): JsonSchema {
  const { $schema: _dialect, ...rest } = schema;
  const place = `#/properties/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return moveReferences(rest, place) as JsonSchema;
}

interface Zod4Schema {
  _zod: { optin?: string };
}

interface Zod3Schema {
  _def: { typeName: string; innerType?: Zod3Schema; description?: string };
  isOptional(): boolean;
}

export function isZod4(schema: unknown): schema is Zod4Schema {
  return typeof schema === 'object' && schema !== null && '_zod' in schema;
}

export function isZod3(schema: unknown): schema is Zod3Schema {
  if (typeof schema !== 'object' || schema === null || !('_def' in schema)) return false;
  return typeof (schema as Zod3Schema)._def?.typeName === 'string';
}

/** zod/mini, zod 4.0 and 4.1: schemas that do not convert themselves. */
async function convertWithZod4(schema: unknown, direction: Direction): Promise<JsonSchema> {
  const { toJSONSchema } = (await import('./zod-4-conversion.js')) as unknown as {
    toJSONSchema(schema: unknown, options: object): JsonSchema;
  };
  return toJSONSchema(schema, { target: 'draft-7', io: direction, ...ZOD_OPTIONS });
}

async function convertZod3(schema: Zod3Schema): Promise<JsonSchema> {
  const { zodToJsonSchema } = await import('zod-to-json-schema');
  // `required` says whether a key may be left out, not a choice between a type and nothing.
  const { typeName, innerType, description } = schema._def;
  const inner = typeName === 'ZodOptional' && innerType !== undefined ? innerType : schema;
  const converted = zodToJsonSchema(inner as never, {
    strictUnions: true,
    pipeStrategy: 'input',
    removeAdditionalStrategy: 'strict',
  }) as JsonSchema;
  return description === undefined ? converted : { ...converted, description };
}
