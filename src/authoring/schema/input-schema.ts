import type { FromJsonSchema, JsonSchemaInput } from './from-json-schema.js';
import type { StandardSchema } from './standard-schema.js';

/**
 * What `tool()` takes as its input schema: an object of schemas (a "raw shape"), one schema of an object from any
 * Standard Schema library, or plain JSON Schema.
 */
export type InputSchema = RawShape | StandardSchema | OlderZod | JsonSchemaInput;

/** `{ a: z.number(), b: z.string() }`, with the schemas of any Standard Schema library, or of an older zod. */
export type RawShape = { readonly [key: string]: ShapeMember };

type ShapeMember = StandardSchema | OlderZod;

/** zod before 3.24 has no `~standard`, but all of zod has `_output`. */
type OlderZod = { readonly _output: unknown };

type TypesOf<Schema> = Schema extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types>
  : Schema extends { readonly _input: infer Input; readonly _output: infer Output }
    ? { input: Input; output: Output }
    : Schema extends { readonly _output: infer Output }
      ? { input: Output; output: Output }
      : unknown;

type TypeOf<Schema, Side extends 'input' | 'output'> =
  TypesOf<Schema> extends { readonly [Key in Side]: infer Type } ? Type : unknown;

type OptionalKeys<Shape, Side extends 'input' | 'output'> = {
  [Key in keyof Shape]: undefined extends TypeOf<Shape[Key], Side> ? Key : never;
}[keyof Shape];

type Flatten<T> = { [Key in keyof T]: T[Key] } & {};

type ShapeType<Shape, Side extends 'input' | 'output'> = Flatten<
  { -readonly [Key in Exclude<keyof Shape, OptionalKeys<Shape, Side>>]: TypeOf<Shape[Key], Side> } & {
    -readonly [Key in OptionalKeys<Shape, Side>]?: TypeOf<Shape[Key], Side>;
  }
>;

type Infer<Schema, Side extends 'input' | 'output'> = Schema extends
  | { readonly '~standard': unknown }
  | OlderZod
  ? TypeOf<Schema, Side>
  : Schema extends JsonSchemaInput
    ? FromJsonSchema<Schema>
    : ShapeType<Schema, Side>;

/** The handler's arguments: the schema's output for the model's input, with defaults and transforms applied. */
export type InferInput<Schema> = Infer<Schema, 'output'>;

/** What a handler may return under an output schema: the schema's input, before defaults and transforms. */
export type InferResult<Schema> = Infer<Schema, 'input'>;

/** The official SDK's name for an object of schemas. */
export type AnyZodRawShape = RawShape;

/** The official SDK's name for the arguments that an object of schemas describes. */
export type InferShape<Shape extends AnyZodRawShape> = {
  [Key in keyof Shape]: TypeOf<Shape[Key], 'output'>;
} & {};
