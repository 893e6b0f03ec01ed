import type { JsonSchema } from './json-schema.js';

/** How a date travels: as ISO text (see repair.ts). */
export const DATE = { type: 'string', format: 'date-time' } as const;

/** Marks what a library cannot convert, so that the error can name the place. */
const MARK = 'tenon/unrepresentable';

const mark = (kind: string) => ({ [MARK]: kind });

/** By default ArkType silently writes `{}` for what JSON cannot represent, and Valibot does not say where it is. */
export const LIBRARY_OPTIONS: Readonly<Record<string, Record<string, unknown> | undefined>> = {
  arktype: {
    fallback: {
      date: () => DATE,
      domain: ({ domain }: { domain: string }) => mark(domain),
      proto: ({ proto }: { proto: { name: string } }) => mark(proto.name),
      // `undefined` in a choice is harmless: it only says that the key may be left out.
      unit: ({ unit, base }: { unit: unknown; base: object }) =>
        unit === undefined ? base : mark(`constant of type ${typeof unit}`),
    },
  },
  valibot: {
    overrideSchema: ({ valibotSchema, errors }: ValibotPlace) => {
      if (valibotSchema.type === 'date') return DATE;
      return errors === undefined ? undefined : mark(valibotSchema.type);
    },
    // A rule that JSON Schema cannot express is still checked when the model calls.
    overrideAction: ({ errors, jsonSchema }: { errors?: readonly string[]; jsonSchema: JsonSchema }) =>
      errors === undefined ? undefined : jsonSchema,
  },
};

interface ValibotPlace {
  valibotSchema: { type: string };
  errors?: readonly string[] | undefined;
}

/** Returns the schema, or throws an error that names the place that could not be represented. */
export function withoutMarks(schema: JsonSchema): JsonSchema {
  visit(schema, []);
  return schema;
}

function visit(value: unknown, path: readonly string[]): void {
  if (typeof value !== 'object' || value === null) return;
  const kind = (value as JsonSchema)[MARK];
  if (kind !== undefined) {
    const place = path.filter((step) => step !== 'properties').join('.');
    throw new TypeError(
      `${place === '' ? 'its root' : `"${place}"`} is a ${String(kind)}, which JSON cannot represent`,
    );
  }
  for (const [step, inner] of Object.entries(value)) visit(inner, [...path, step]);
}
