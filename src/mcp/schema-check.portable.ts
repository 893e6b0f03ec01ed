// In place of schema-check.ts where there is no Node: workers may not generate code, and AJV would be a third of a bundle.

import type { SchemaCheck } from './schema-check.js';

export async function schemaCheck(schema: object): Promise<SchemaCheck> {
  const { CfWorkerJsonSchemaValidator } = await import('@modelcontextprotocol/client/validators/cf-worker');
  return new CfWorkerJsonSchemaValidator().getValidator(schema as never);
}
