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

type OutputOf<Schema> = Schema extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly output: infer Output }
    ? Output
    : unknown
  : Schema extends { readonly _output: infer Output }
    ? Output
    : unknown;

type OptionalKeys<Shape> = {
  [Key in keyof Shape]: undefined extends OutputOf<Shape[Key]> ? Key : never;
}[keyof Shape];

type Flatten<T> = { [Key in keyof T]: T[Key] } & {};

type ShapeOutput<Shape> = Flatten<
  { -readonly [Key in Exclude<keyof Shape, OptionalKeys<Shape>>]: OutputOf<Shape[Key]> } & {
    -readonly [Key in OptionalKeys<Shape>]?: OutputOf<Shape[Key]>;
  }
>;

/** The handler's arguments: what the schema makes of the model's input, defaults and transforms applied. */
export type InferInput<Schema> = Schema extends { readonly '~standard': unknown } | OlderZod
  ? OutputOf<Schema>
  : Schema extends JsonSchemaInput
    ? FromJsonSchema<Schema>
    : ShapeOutput<Schema>;
