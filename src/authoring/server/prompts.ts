import type { McpContentBlock } from '../../mcp/types.js';
import { OptionError } from '../../protocol/base/errors.js';

export interface PromptMessage {
  role: 'user' | 'assistant';
  content: McpContentBlock;
}

export interface PromptArgument {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  required?: boolean | undefined;
  /** Proposals while the argument is typed. */
  complete?(value: string): readonly string[] | Promise<readonly string[]>;
}

export interface PromptDefinition {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  arguments?: readonly PromptArgument[] | undefined;
  _meta?: Record<string, unknown> | undefined;
  /** A text becomes one message of the user. */
  get(
    args: Record<string, string>,
    context: { signal: AbortSignal },
  ): string | readonly PromptMessage[] | Promise<string | readonly PromptMessage[]>;
}

/** The prompts of one server. */
export class PromptRegistry {
  readonly #prompts = new Map<string, PromptDefinition>();

  add(prompt: PromptDefinition): void {
    if (this.#prompts.has(prompt.name)) {
      throw new OptionError(
        'prompts',
        prompt.name,
        `There are two prompts named "${prompt.name}". Give one of them another name.`,
      );
    }
    this.#prompts.set(prompt.name, prompt);
  }

  remove(name: string): boolean {
    return this.#prompts.delete(name);
  }

  get isEmpty(): boolean {
    return this.#prompts.size === 0;
  }

  get(name: string): PromptDefinition | undefined {
    return this.#prompts.get(name);
  }

  list(): object[] {
    return [...this.#prompts.values()].map(({ get: _get, arguments: args, ...listed }) => ({
      ...listed,
      ...(args === undefined
        ? {}
        : { arguments: args.map(({ complete: _complete, ...argument }) => argument) }),
    }));
  }

  async complete(name: string, argument: string, value: string): Promise<readonly string[]> {
    const found = this.#prompts.get(name)?.arguments?.find((each) => each.name === argument);
    return (await found?.complete?.(value)) ?? [];
  }
}

export function promptMessages(prompt: string | readonly PromptMessage[]): readonly PromptMessage[] {
  return typeof prompt === 'string' ? [{ role: 'user', content: { type: 'text', text: prompt } }] : prompt;
}
