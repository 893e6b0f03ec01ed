/** Plain JSON Schema of an object, or a union of such at the root. */
export type JsonSchemaInput =
  | { readonly type: 'object'; readonly [keyword: string]: unknown }
  | { readonly oneOf: readonly unknown[]; readonly [keyword: string]: unknown }
  | { readonly anyOf: readonly unknown[]; readonly [keyword: string]: unknown };

/** The type of the values that a JSON Schema literal describes, for the keywords that tool schemas use. */
export type FromJsonSchema<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly oneOf: readonly (infer Branch)[] }
      ? FromBranch<Branch>
      : Schema extends { readonly anyOf: readonly (infer Branch)[] }
        ? FromBranch<Branch>
        : Schema extends { readonly type: infer Type }
          ? FromType<Type extends readonly (infer Each)[] ? Each : Type, Schema>
          : unknown;

type FromBranch<Branch> = Branch extends unknown ? FromJsonSchema<Branch> : never;

type FromType<Type, Schema> = Type extends 'string'
  ? string
  : Type extends 'number' | 'integer'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? Schema extends { readonly items: infer Items }
            ? FromJsonSchema<Items>[]
            : unknown[]
          : Type extends 'object'
            ? FromObject<Schema>
            : unknown;

type FromObject<Schema> = Schema extends { readonly properties: infer Properties }
  ? Flatten<
      { -readonly [Key in keyof Properties & PresentKeys<Schema>]: FromJsonSchema<Properties[Key]> } & {
        -readonly [Key in Exclude<keyof Properties, PresentKeys<Schema>>]?: FromJsonSchema<Properties[Key]>;
      }
    >
  : Schema extends { readonly additionalProperties: infer Values extends object }
    ? Record<string, FromJsonSchema<Values>>
    : Record<string, unknown>;

/** The properties that are always present: the required ones and those with a default. */
type PresentKeys<Schema> =
  | (Schema extends { readonly required: readonly (infer Key)[] } ? Key : never)
  | (Schema extends { readonly properties: infer Properties } ? DefaultedKeys<Properties> : never);

type DefaultedKeys<Properties> = {
  [Key in keyof Properties]: Properties[Key] extends { readonly default: unknown } ? Key : never;
}[keyof Properties];

type Flatten<T> = { [Key in keyof T]: T[Key] } & {};
