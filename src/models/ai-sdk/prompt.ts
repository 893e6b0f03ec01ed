import type { CacheControl, MessageParam, ToolResultBlockParam } from '../../protocol/wire/content.js';
import type { ModelRequest } from '../../runtime/model.js';
import { keptMetadata } from '../kept-metadata.js';
import { isFile, type PortableFile, type Sendable } from './files.js';
import { mergedOptions, type ProviderTraits } from './providers.js';
import type {
  AssistantPart,
  FunctionTool,
  PromptMessage,
  ProviderMetadata,
  ToolResultPart,
  UserPart,
} from './specification.js';
import type { ToolAliases } from './tool-aliases.js';

type Block = Exclude<MessageParam['content'], string>[number];

export interface PromptSettings {
  traits: ProviderTraits;
  version: string;
  files: PortableFile;
  aliases: ToolAliases;
  /** Whose metadata is sent back: that of this model only. */
  source: string;
  warn(text: string): void;
}

/** The messages of a request in the form of the specification. */
export class PromptWriter {
  readonly #settings: PromptSettings;
  readonly #toolNames = new Map<string, string>();

  constructor(settings: PromptSettings) {
    this.#settings = settings;
  }

  write({ system, messages }: ModelRequest): PromptMessage[] {
    const prompt: PromptMessage[] = [];
    if (system.length > 0) {
      // One message: servers that are merely compatible refuse a second one.
      const content = system.map(({ text }) => text).join('\n\n');
      prompt.push({ role: 'system', content, ...this.#marks(system.at(-1)?.cache_control) });
    }
    for (const { role, content } of messages) {
      const blocks: Block[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
      if (role === 'assistant') this.#writeAnswer(blocks, prompt);
      else this.#writeSaid(blocks, prompt);
    }
    return prompt;
  }

  tools(tools: ModelRequest['tools']): FunctionTool[] {
    return tools.map(({ name, description, input_schema: inputSchema, cache_control: mark }) => ({
      type: 'function',
      name: this.#settings.aliases.aliasOf(name),
      description,
      inputSchema,
      ...this.#marks(mark),
    }));
  }

  #writeAnswer(blocks: readonly Block[], prompt: PromptMessage[]): void {
    const content: AssistantPart[] = [];
    for (const block of blocks) {
      const part = this.#assistantPart(block);
      if (part === undefined) continue;
      const providerOptions = this.#keptOptions(block);
      content.push(providerOptions === undefined ? part : { ...part, providerOptions });
    }
    if (content.length > 0) prompt.push({ role: 'assistant', content });
  }

  /** What the user has said, and the results of tools before it. */
  #writeSaid(blocks: readonly Block[], prompt: PromptMessage[]): void {
    const results: ToolResultPart[] = [];
    const moved: UserPart[] = [];
    const said: UserPart[] = [];
    let mark: CacheControl | undefined;
    for (const block of blocks) {
      if (block.type === 'tool_result') results.push(this.#toolResult(block, moved));
      else if (block.type === 'text') said.push({ type: 'text', text: block.text });
      else if (isFile(block)) said.push(...this.#sent(this.#settings.files.inPrompt(block)));
      if ('cache_control' in block) mark = block.cache_control ?? mark;
    }
    const marks = this.#marks(mark);
    const isLast = moved.length === 0 && said.length === 0;
    if (results.length > 0) prompt.push({ role: 'tool', content: results, ...(isLast ? marks : {}) });
    if (!isLast) prompt.push({ role: 'user', content: [...moved, ...said], ...marks });
  }

  #assistantPart(block: Block): AssistantPart | undefined {
    switch (block.type) {
      case 'text':
        return block.text === '' ? undefined : { type: 'text', text: block.text };
      case 'thinking':
        // Thoughts of another model mean nothing to this one, and their signatures would be refused.
        return keptMetadata(block)?.source === this.#settings.source
          ? { type: 'reasoning', text: block.thinking }
          : undefined;
      case 'tool_use': {
        const toolName = this.#settings.aliases.aliasOf(block.name);
        this.#toolNames.set(block.id, toolName);
        return { type: 'tool-call', toolCallId: block.id, toolName, input: block.input ?? {} };
      }
      default:
        return undefined;
    }
  }

  #toolResult(block: ToolResultBlockParam, moved: UserPart[]): ToolResultPart {
    const { tool_use_id: toolCallId, content = [], is_error: isError } = block;
    const toolName = this.#toolNames.get(toolCallId) ?? 'unknown';
    const files = typeof content === 'string' ? [] : content.filter(isFile);
    const text = typeof content === 'string' ? content : textIn(content);
    const { traits } = this.#settings;
    if (files.length > 0 && traits.hasToolImages === true) {
      const sent = files.flatMap((file) => this.#sent(this.#settings.files.inToolResult(file)));
      const value = [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...sent];
      return { type: 'tool-result', toolCallId, toolName, output: { type: 'content', value } };
    }
    const notice = this.#move(files, toolName, toolCallId, moved);
    const value = text === '' || notice === '' ? text + notice : `${text}\n${notice}`;
    const type = isError === true ? 'error-text' : 'text';
    return { type: 'tool-result', toolCallId, toolName, output: { type, value } };
  }

  /** Images that the provider would send as text, into the message after the results. Returns what stands in their place. */
  #move(
    files: Parameters<PortableFile['inPrompt']>[0][],
    toolName: string,
    id: string,
    moved: UserPart[],
  ): string {
    if (files.length === 0) return '';
    const what = files.length === 1 ? 'A file' : `${files.length} files`;
    moved.push({ type: 'text', text: `${what} from the result of ${toolName} (call ${id}):` });
    for (const file of files) moved.push(...this.#sent(this.#settings.files.inPrompt(file)));
    return `[${what} of this result: see the next message.]`;
  }

  #sent<Part>(sendable: Sendable<Part>): Part[] {
    if ('problem' in sendable) {
      this.#settings.warn(sendable.problem);
      return [];
    }
    return [sendable.part];
  }

  #keptOptions(block: Block): ProviderMetadata | undefined {
    const kept = keptMetadata(block);
    return kept?.source === this.#settings.source ? mergedOptions(kept.metadata) : undefined;
  }

  #marks(mark: CacheControl | null | undefined): { providerOptions?: ProviderMetadata } {
    const { traits, version, warn } = this.#settings;
    if (mark == null) return {};
    const { cacheMark, longCacheSince = '' } = traits;
    if (mark.ttl === '1h' && (cacheMark === undefined || version < longCacheSince))
      warn(`${traits.key}: this provider cannot be told to cache for an hour; its own time counts.`);
    if (cacheMark === undefined) return {};
    const providerOptions = mergedOptions({ [traits.key]: cacheMark(mark.ttl) });
    return providerOptions === undefined ? {} : { providerOptions };
  }
}

type ResultPart = Exclude<ToolResultBlockParam['content'], string | undefined>[number];

function textIn(parts: readonly ResultPart[]): string {
  return parts.map(textOf).filter(Boolean).join('\n');
}

/** Content that no specification has a part for is written as text. */
function textOf(part: ResultPart): string {
  if (part.type === 'text') return part.text;
  if (part.type === 'search_result') {
    return `${part.title} (${part.source})\n${part.content.map(({ text }) => text).join('\n')}`;
  }
  return isFile(part) ? '' : JSON.stringify(part);
}
