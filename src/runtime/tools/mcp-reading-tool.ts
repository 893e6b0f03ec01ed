import { messageOf } from '../../protocol/base/errors.js';
import { failedOutcome, OWN_TOOL, type RuntimeTool, type ToolCall, type ToolOutcome } from './tool-port.js';

interface ReadingTool {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly description: string;
  readonly properties: Record<string, object>;
  /** Texts that a call cannot do without. */
  readonly required: readonly string[];
  run(call: ToolCall): Promise<ToolOutcome>;
}

/** A tool of the agent that looks something up at a server. */
export function readingTool({
  name,
  aliases,
  description,
  properties,
  required,
  run,
}: ReadingTool): RuntimeTool {
  return {
    name,
    aliases,
    description,
    inputSchema: { type: 'object', properties, required },
    ...OWN_TOOL,
    prepare: async (input) => {
      const missing = required.find((field) => typeof input[field] !== 'string' || input[field] === '');
      return missing === undefined
        ? {}
        : { problem: `InputValidationError: ${name} needs \`${missing}\`, a text.` };
    },
    run: async (call) => {
      try {
        return await run(call);
      } catch (error) {
        if (call.signal.aborted) throw error;
        return failedOutcome(messageOf(error));
      }
    },
  };
}

export function serverNamed(server: unknown): string | undefined {
  return typeof server === 'string' && server !== '' ? server : undefined;
}

/** A server that failed must not look like one that has nothing. */
export function troubles(errors: Record<string, string>): object[] {
  return Object.entries(errors).map(([server, error]) => ({ server, error }));
}

export function jsonOutcome(value: unknown): ToolOutcome {
  return { content: JSON.stringify(value), detail: value };
}
