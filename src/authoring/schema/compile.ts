import { messageOf, TenonError } from '../../protocol/errors.js';
import type { InputSchema } from './input-schema.js';
import type { JsonSchema } from './json-schema.js';
import { isOptional, isZod3, isZod4, jsonSchemaOf, objectJsonSchema } from './json-schema.js';
import { describeIssue, isStandardSchema, type StandardResult } from './standard-schema.js';

/** A tool's input schema, made ready once: its JSON Schema for the model, and a check for what the model sends. */
export interface CompiledSchema {
  /** A promise only where a converter had to be loaded (zod 3, zod 4.0 and 4.1). */
  readonly jsonSchema: JsonSchema | Promise<JsonSchema>;
  check(value: unknown): Checked | Promise<Checked>;
}

export type Checked = { ok: true; value: unknown } | { ok: false; issues: string[] };

type MemberCheck = (value: unknown) => StandardResult<unknown> | Promise<StandardResult<unknown>>;

export function compileSchema(toolName: string, schema: InputSchema): CompiledSchema {
  try {
    return isSchema(schema) ? compileObject(schema) : compileShape(schema);
  } catch (error) {
    if (TenonError.is(error)) throw error;
    throw invalidTool(toolName, `its input schema cannot be used: ${messageOf(error)}`, error);
  }
}

export function invalidTool(toolName: string, problem: string, cause?: unknown): TenonError {
  return new TenonError(
    'INVALID_TOOL',
    `Tool "${toolName}": ${problem}`,
    cause === undefined ? {} : { cause },
  );
}

function isSchema(schema: InputSchema): boolean {
  return isStandardSchema(schema) || isZod4(schema) || isZod3(schema);
}

function compileObject(schema: unknown): CompiledSchema {
  const validate = validatorOf(schema);
  return {
    jsonSchema: jsonSchemaOf(schema),
    async check(value) {
      const result = await validate(value);
      if (result.issues === undefined) return { ok: true, value: result.value };
      return { ok: false, issues: result.issues.map((issue) => describeIssue(issue)) };
    },
  };
}

function compileShape(shape: object): CompiledSchema {
  const members = Object.entries(shape).map(([name, schema]) => {
    if (!isSchema(schema as InputSchema)) {
      throw new TypeError(
        `the key "${name}" holds ${kindOf(schema)}, not a schema. Give an object of schemas such as { ${name}: z.string() }.`,
      );
    }
    return { name, schema: schema as unknown, validate: validatorOf(schema) };
  });
  const converted = members.map(({ schema }) => jsonSchemaOf(schema));
  const assemble = (schemas: JsonSchema[]): JsonSchema =>
    objectJsonSchema(
      members.map(({ name, schema }, index) => [name, schemas[index] ?? {}, !isOptional(schema)] as const),
    );
  return {
    jsonSchema: converted.some((schema) => schema instanceof Promise)
      ? Promise.all(converted).then(assemble)
      : assemble(converted as JsonSchema[]),
    check: (value) => checkShape(members, value),
  };
}

async function checkShape(
  members: readonly { name: string; validate: MemberCheck }[],
  value: unknown,
): Promise<Checked> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { ok: false, issues: [`expected an object, received ${kindOf(value)}`] };
  }
  const input = value as Record<string, unknown>;
  const output: Record<string, unknown> = {};
  const issues: string[] = [];
  for (const { name, validate } of members) {
    const pending = validate(input[name]);
    const result = pending instanceof Promise ? await pending : pending;
    if (result.issues !== undefined)
      issues.push(...result.issues.map((issue) => describeIssue(issue, [name])));
    else if (result.value !== undefined || name in input) output[name] = result.value;
  }
  return issues.length > 0 ? { ok: false, issues } : { ok: true, value: output };
}

interface ZodWithoutStandard {
  safeParseAsync(value: unknown): Promise<{
    success: boolean;
    data?: unknown;
    error?: { issues: { message: string; path: PropertyKey[] }[] };
  }>;
}

/** zod before 3.24 validates only by its own methods. */
function validatorOf(schema: unknown): MemberCheck {
  if (isStandardSchema(schema)) return schema['~standard'].validate;
  const zod = schema as ZodWithoutStandard;
  return async (value) => {
    const parsed = await zod.safeParseAsync(value);
    return parsed.success ? { value: parsed.data } : { issues: parsed.error?.issues ?? [] };
  };
}

export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `${/^[aeiou]/.test(typeof value) ? 'an' : 'a'} ${typeof value}`;
}
