/**
 * Looks through a zod schema without converting it, for the versions whose converter has to be loaded first (zod 3,
 * zod/mini, zod before 4.2): what JSON cannot say is then still an error at definition, with its place.
 */
interface Zod3Definition {
  typeName: string;
  effect?: { type: string };
}

type Definition = Record<string, unknown>;

/** The kinds that have no JSON form, in zod 4's spelling. */
export const UNREPRESENTABLE: ReadonlySet<string> = new Set([
  'bigint',
  'symbol',
  'void',
  'map',
  'set',
  'nan',
  'function',
  'promise',
]);

/** The kinds that are certainly not objects, and so cannot be a tool's arguments. */
const NO_OBJECT = new Set([
  ...['string', 'number', 'int', 'boolean', 'null', 'undefined', 'never', 'date', 'array', 'tuple', 'enum'],
  ...['nativeenum', 'literal', 'template_literal', 'file'],
]);

export function unrepresentable(path: readonly PropertyKey[], kind: string): TypeError {
  const place = path.length === 0 ? 'its root' : `"${path.map(String).join('.')}"`;
  return new TypeError(`${place} is a z.${kind}(), which JSON cannot represent`);
}

/** Throws if the schema cannot be used; `isRoot` if it stands for all arguments, not for one of them. */
export function checkZodSchema(schema: unknown, isRoot: boolean): void {
  const kind = kindOf(definitionOf(schema) ?? {});
  if (isRoot && NO_OBJECT.has(kind)) {
    throw new TypeError(`its root must be an object; it is a z.${kind}().`);
  }
  walk(schema, [], new Set());
}

function walk(schema: unknown, path: readonly PropertyKey[], seen: Set<unknown>): void {
  const definition = definitionOf(schema);
  if (definition === undefined || seen.has(schema)) return;
  seen.add(schema);
  const kind = kindOf(definition);
  if (UNREPRESENTABLE.has(kind)) throw unrepresentable(path, kind);
  for (const [step, inner] of childrenOf(kind, definition)) {
    walk(inner, step === undefined ? path : [...path, step], seen);
  }
}

/** The schemas inside a schema that the model's input meets, with the step that leads to each. */
function childrenOf(
  kind: string,
  definition: Definition,
): [step: PropertyKey | undefined, schema: unknown][] {
  if (kind === 'object') {
    const { shape } = definition;
    return Object.entries((typeof shape === 'function' ? shape() : shape) as object);
  }
  if (kind === 'lazy') return [[undefined, (definition.getter as () => unknown)()]];
  // What comes in is not yet what the inner schema describes.
  if ((definition as Partial<Zod3Definition>).effect?.type === 'preprocess') return [];
  if (kind === 'pipe' || kind === 'pipeline') return [[undefined, definition.in]];
  if (kind === 'array') return [['items', definition.element ?? definition.type]];
  const inner = [
    ...Object.values(definition),
    ...Object.values(definition).filter(Array.isArray).flat(),
  ].filter((each) => definitionOf(each) !== undefined);
  return inner.map((each) => [undefined, each]);
}

function definitionOf(schema: unknown): Definition | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined;
  if ('_zod' in schema) return (schema._zod as { def?: Definition } | undefined)?.def;
  const definition = '_def' in schema ? (schema._def as Definition | undefined) : undefined;
  return typeof definition?.typeName === 'string' ? definition : undefined;
}

/** zod 3 says `ZodBigInt` where zod 4 says `bigint`. */
function kindOf(definition: Definition): string {
  const { typeName, type } = definition;
  return typeof typeName === 'string' ? typeName.replace(/^Zod/, '').toLowerCase() : String(type);
}
