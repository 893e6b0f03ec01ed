import { messageOf } from '../../protocol/errors.js';
import { failedOutcome, OWN_TOOL, type RuntimeTool } from './tool-port.js';

const STRUCTURED_OUTPUT = 'StructuredOutput';

/** The tool by which the model gives the answer that a schema asks for. */
export class StructuredOutput {
  readonly tool: RuntimeTool;
  value: unknown;
  isGiven = false;
  /** Answers that did not fit. */
  failures = 0;
  readonly #validator: Promise<(value: unknown) => { valid: boolean; errorMessage?: string | undefined }>;

  constructor(schema: Record<string, unknown>) {
    this.#validator = loadValidator(schema);
    this.#validator.catch(() => {});
    this.tool = {
      name: STRUCTURED_OUTPUT,
      description:
        'Give the final answer in the structure that was asked for. Call it exactly once, at the end.',
      inputSchema: schema,
      ...OWN_TOOL,
      run: async ({ input }) => {
        const problem = await this.#problemOf(input);
        if (problem !== undefined) {
          this.failures += 1;
          return failedOutcome(
            `The answer does not fit the schema: ${problem}. Call ${STRUCTURED_OUTPUT} again.`,
          );
        }
        this.value = input;
        this.isGiven = true;
        const said = 'Structured output provided successfully';
        return { content: said, isError: false, detail: said };
      },
    };
  }

  /** Per prompt: a later turn has to give its own answer. */
  reset(): void {
    this.value = undefined;
    this.isGiven = false;
    this.failures = 0;
  }

  async #problemOf(value: unknown): Promise<string | undefined> {
    try {
      const result = (await this.#validator)(value);
      return result.valid ? undefined : (result.errorMessage ?? 'invalid').replaceAll(/\bdata[ /]/g, '');
    } catch (error) {
      return `the schema itself cannot be used: ${messageOf(error)}`;
    }
  }
}

async function loadValidator(schema: Record<string, unknown>) {
  const { AjvJsonSchemaValidator } = await import('@modelcontextprotocol/client/validators/ajv');
  return new AjvJsonSchemaValidator().getValidator(schema as never);
}
