export type SchemaCheck = (value: unknown) => { valid: boolean; errorMessage?: string | undefined };

/**
 * A validator of the MCP library for both current dialects, loaded when the first is needed. Rejects when the schema itself
 * cannot be used. AJV generates code; where that is not allowed, the other one is slower and does the same. Where there is no
 * Node, schema-check.portable.ts is used instead.
 */
export async function schemaCheck(schema: object): Promise<SchemaCheck> {
  if (mayGenerateCode()) {
    const { AjvJsonSchemaValidator } = await import('@modelcontextprotocol/client/validators/ajv');
    return new AjvJsonSchemaValidator().getValidator(schema as never);
  }
  const { CfWorkerJsonSchemaValidator } = await import('@modelcontextprotocol/client/validators/cf-worker');
  return new CfWorkerJsonSchemaValidator().getValidator(schema as never);
}

function mayGenerateCode(): boolean {
  try {
    return typeof new Function('') === 'function';
  } catch {
    return false;
  }
}
