import { messageOf, TenonError } from '../../protocol/base/errors.js';
import { kindOf } from '../../protocol/base/kinds.js';
import { type DetailedIssue, type Validate, validateWithDates } from './dates.js';
import type { InputSchema } from './input-schema.js';
import type { JsonSchema } from './json-schema.js';
import { type Direction, isOptional, isZod3, isZod4, jsonSchemaOf, objectJsonSchema } from './json-schema.js';
import {
  compilePlainSchema,
  findSchemaMistake,
  isPlainJsonSchema,
  withDefaults,
} from './plain-json-schema.js';
import { withoutReference } from './references.js';
import { repairJsonText } from './repair.js';
import { findNonObjectBranch, flattenRootUnion } from './root-union.js';
import {
  describeIssue,
  isStandardSchema,
  type StandardIssue,
  type StandardResult,
} from './standard-schema.js';
import { checkZodSchema } from './zod-walk.js';

/** A tool's schema, compiled once: its JSON Schema for the model, and the check of what the model or the tool sends. */
export interface CompiledSchema {
  /** A promise only where a converter had to be loaded (zod 3, zod/mini, zod 4.0 and 4.1). */
  readonly jsonSchema: JsonSchema | Promise<JsonSchema>;
  /** Checks what a model sent; near misses are repaired. */
  check(value: unknown): Checked | Promise<Checked>;
  /** Checks what the tool itself produced, as it is. */
  checkExactly(value: unknown): Promise<Checked>;
}

export type Checked =
  | { ok: true; value: unknown; repaired: readonly string[] }
  | { ok: false; issues: readonly string[] };

export function compileSchema(
  toolName: string,
  schema: InputSchema,
  direction: Direction = 'input',
): CompiledSchema {
  try {
    if (isLibrarySchema(schema)) return compiled(librarySchema(schema, direction, true), validatorOf(schema));
    return isPlainJsonSchema(schema) ? compilePlain(schema) : compileShape(schema as object, direction);
  } catch (error) {
    if (TenonError.is(error)) throw error;
    throw invalidTool(toolName, `its ${direction} schema cannot be used: ${messageOf(error)}`, error);
  }
}

export function invalidTool(toolName: string, problem: string, cause?: unknown): TenonError {
  return new TenonError(
    'INVALID_TOOL',
    `Tool "${toolName}": ${problem}`,
    cause === undefined ? {} : { cause },
  );
}

function isLibrarySchema(schema: unknown): boolean {
  return isStandardSchema(schema) || isZod4(schema) || isZod3(schema);
}

function librarySchema(
  schema: unknown,
  direction: Direction,
  isRoot: boolean,
): JsonSchema | Promise<JsonSchema> {
  const jsonSchema = jsonSchemaOf(schema, direction);
  // Its converter is not loaded yet, so only the mistakes that can be seen without it are reported now.
  if (jsonSchema instanceof Promise) {
    jsonSchema.catch(() => {});
    checkZodSchema(schema, isRoot);
  }
  return jsonSchema instanceof Promise ? jsonSchema.then(inPlace) : inPlace(jsonSchema);
}

function inPlace(jsonSchema: JsonSchema): JsonSchema {
  return withoutReference(jsonSchema, jsonSchema);
}

function compiled(given: JsonSchema | Promise<JsonSchema>, validate: Validate): CompiledSchema {
  const jsonSchema = given instanceof Promise ? given.then(checkedRoot) : checkedRoot(given);
  // Whoever lists or calls the tool learns of a failure; until then it must not count as an unhandled rejection.
  if (jsonSchema instanceof Promise) jsonSchema.catch(() => {});
  const flat =
    jsonSchema instanceof Promise ? jsonSchema.then(flattenRootUnion) : flattenRootUnion(jsonSchema);
  if (flat instanceof Promise) flat.catch(() => {});
  const check = (schema: JsonSchema, given: unknown): Checked | Promise<Checked> => {
    const { value, repaired } = repairJsonText(schema, given);
    const result = validate(value);
    if (!(result instanceof Promise) && result.issues === undefined) return checkedOf(result, repaired);
    return validateWithDates(value, validate, result).then((final) => checkedOf(final, repaired));
  };
  return {
    jsonSchema,
    check: (given) =>
      flat instanceof Promise ? flat.then((schema) => check(schema, given)) : check(flat, given),
    checkExactly: async (given) => checkedOf(await validate(given), []),
  };
}

function checkedOf(result: StandardResult<unknown>, repaired: readonly string[]): Checked {
  if (result.issues === undefined) return { ok: true, value: result.value, repaired };
  return { ok: false, issues: result.issues.map(describeIssue) };
}

function checkedRoot(jsonSchema: JsonSchema): JsonSchema {
  if (jsonSchema.type !== undefined && jsonSchema.type !== 'object') {
    throw new TypeError(`its root must be an object; it is of type ${JSON.stringify(jsonSchema.type)}.`);
  }
  const branch = findNonObjectBranch(jsonSchema);
  if (branch !== undefined)
    throw new TypeError(`every branch of its root must be an object; ${branch} is not.`);
  return jsonSchema;
}

function compilePlain(schema: JsonSchema): CompiledSchema {
  const mistake = findSchemaMistake(schema);
  if (mistake !== undefined) throw new TypeError(`${mistake}.`);
  const loading = compilePlainSchema(schema);
  // A schema that the validator rejects fails the calls of this one tool, with the validator's message.
  loading.catch(() => {});
  return compiled(schema, async (given) => {
    const value = withDefaults(schema, given);
    const message = (await loading)(value);
    return message === undefined ? { value } : { issues: [{ message }] };
  });
}

interface Member {
  name: string;
  schema: unknown;
  validate: Validate;
}

function compileShape(shape: object, direction: Direction): CompiledSchema {
  const members = Object.entries(shape).map(([name, schema]): Member => {
    if (!isLibrarySchema(schema)) {
      throw new TypeError(
        `the key "${name}" holds ${kindOf(schema)}, not a schema. ` +
          `Give an object of schemas such as { ${name}: z.string() }, or plain JSON Schema.`,
      );
    }
    return { name, schema, validate: validatorOf(schema) };
  });
  const converted = members.map(({ name, schema }) => memberJsonSchema(name, schema, direction));
  const assemble = (schemas: JsonSchema[]): JsonSchema =>
    objectJsonSchema(
      members.map(({ name, schema }, index) => [name, schemas[index] ?? {}, !isOptional(schema)] as const),
    );
  const jsonSchema = converted.some((schema) => schema instanceof Promise)
    ? Promise.all(converted).then(assemble)
    : assemble(converted as JsonSchema[]);
  return compiled(jsonSchema, (value) => validateShape(members, value));
}

function memberJsonSchema(
  name: string,
  schema: unknown,
  direction: Direction,
): JsonSchema | Promise<JsonSchema> {
  try {
    return librarySchema(schema, direction, false);
  } catch (error) {
    throw new TypeError(`the key "${name}": ${messageOf(error)}`, { cause: error });
  }
}

function validateShape(members: readonly Member[], value: unknown): ReturnType<Validate> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { issues: [{ message: `expected an object, received ${kindOf(value)}` }] };
  }
  const input = value as Record<string, unknown>;
  const results = members.map(({ name, validate }) =>
    validate(Object.hasOwn(input, name) ? input[name] : undefined),
  );
  return results.some((result) => result instanceof Promise)
    ? Promise.all(results).then((settled) => shapeResult(members, input, settled))
    : shapeResult(members, input, results as StandardResult<unknown>[]);
}

function shapeResult(
  members: readonly Member[],
  input: Record<string, unknown>,
  results: readonly StandardResult<unknown>[],
): StandardResult<unknown> {
  const output: Record<string, unknown> = {};
  const issues: StandardIssue[] = [];
  for (const [index, { name }] of members.entries()) {
    const result = results[index] as StandardResult<unknown>;
    if (result.issues !== undefined) {
      issues.push(
        ...result.issues.map(({ message, path = [], expected }: DetailedIssue) => ({
          message,
          path: [name, ...path],
          expected,
        })),
      );
    } else if (result.value !== undefined || Object.hasOwn(input, name)) output[name] = result.value;
  }
  return issues.length > 0 ? { issues } : { value: output };
}

interface ZodWithoutStandard {
  safeParseAsync(value: unknown): Promise<{
    success: boolean;
    data?: unknown;
    error?: { issues: { message: string; path: PropertyKey[] }[] };
  }>;
}

/** zod before 3.24 validates only through its own methods. */
function validatorOf(schema: unknown): Validate {
  if (isStandardSchema(schema)) return schema['~standard'].validate;
  const zod = schema as ZodWithoutStandard;
  return async (value) => {
    const parsed = await zod.safeParseAsync(value);
    return parsed.success ? { value: parsed.data } : { issues: parsed.error?.issues ?? [] };
  };
}
