import type { StandardSchema } from './standard-schema.js';

/** What `tool()` takes as its input schema: an object of schemas (a "raw shape"), or one schema of an object. */
export type InputSchema = RawShape | StandardSchema;

/** `{ a: z.number(), b: z.string() }`, with the schemas of any Standard Schema library, or of an older zod. */
export type RawShape = { readonly [key: string]: ShapeMember };

/** zod before 3.24 has no `~standard`, but all of zod has `_output`. */
type ShapeMember = StandardSchema | { readonly _output: unknown };

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

/** The handler's arguments: what the schema makes of the model's input, defaults and transforms applied. */
export type InferInput<Schema> = Schema extends { readonly '~standard': unknown }
  ? OutputOf<Schema>
  : Flatten<
      { [Key in Exclude<keyof Schema, OptionalKeys<Schema>>]: OutputOf<Schema[Key]> } & {
        [Key in OptionalKeys<Schema>]?: OutputOf<Schema[Key]>;
      }
    >;
