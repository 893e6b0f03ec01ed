import { type SchemaCheck, schemaCheck } from '../../mcp/schema-check.js';
import { messageOf } from '../../protocol/base/errors.js';
import { insidesOf, unwrapStructure } from '../../protocol/wire/structured-output.js';
import { failedOutcome, OWN_TOOL, type RuntimeTool } from './tool-port.js';

const STRUCTURED_OUTPUT = 'StructuredOutput';

/** The tool with which the model gives an answer that has to match a schema. */
export class StructuredOutput {
  readonly tool: RuntimeTool;
  value: unknown;
  isGiven = false;
  /** The number of answers that did not match. */
  failures = 0;
  readonly #check: Promise<SchemaCheck>;

  constructor(schema: Record<string, unknown>) {
    this.#check = schemaCheck(schema);
    this.#check.catch(() => {});
    this.tool = {
      name: STRUCTURED_OUTPUT,
      description:
        'Give the final answer in the structure that was asked for. Call it exactly once, at the end.',
      inputSchema: schema,
      ...OWN_TOOL,
      run: async ({ input }) => {
        const candidates = [unwrapStructure(input, schema), input, ...insidesOf(input)];
        for (const candidate of new Set(candidates)) {
          if ((await this.#problemOf(candidate)) !== undefined) continue;
          this.value = candidate;
          this.isGiven = true;
          return { content: 'Structured output provided successfully' };
        }
        this.failures += 1;
        const problem = await this.#problemOf(input);
        return failedOutcome(
          `The answer does not fit the schema: ${problem}. Call ${STRUCTURED_OUTPUT} again.`,
        );
      },
    };
  }

  /** Called for each prompt: every turn has to give its own answer. */
  reset(): void {
    this.value = undefined;
    this.isGiven = false;
    this.failures = 0;
  }

  async #problemOf(value: unknown): Promise<string | undefined> {
    try {
      const result = (await this.#check)(value);
      return result.valid ? undefined : (result.errorMessage ?? 'invalid').replaceAll(/\bdata[ /]/g, '');
    } catch (error) {
      return `the schema itself cannot be used: ${messageOf(error)}`;
    }
  }
}
