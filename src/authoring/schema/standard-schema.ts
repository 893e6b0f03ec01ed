/**
 * The part of the Standard Schema interface (standardschema.dev, versions 1.0 and 1.1) that Tenon uses. It is an
 * interface made to be copied: zod, Valibot, ArkType and others carry it, so none of them has to be imported.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': StandardProperties<Input, Output>;
}

export interface StandardProperties<Input = unknown, Output = Input> {
  readonly version: 1;
  readonly vendor: string;
  readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
  readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  /** Version 1.1: the schema provides its own JSON Schema. */
  readonly jsonSchema?: {
    readonly input: ToJsonSchema;
    readonly output?: ToJsonSchema;
  };
}

type ToJsonSchema = (options: {
  target: string;
  libraryOptions?: Record<string, unknown>;
}) => Record<string, unknown>;

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export function isStandardSchema(value: unknown): value is StandardSchema {
  // ArkType's schemas are functions.
  return (
    ((typeof value === 'object' && value !== null) || typeof value === 'function') && '~standard' in value
  );
}

export function describeIssue(issue: StandardIssue): string {
  const path = (issue.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
  return path === '' ? issue.message : `${path}: ${issue.message}`;
}
