import { clock } from '../../protocol/base/clock.js';
import type { ToolUseBlock, UserContentBlock } from '../../protocol/wire/content.js';
import type { Workspace } from '../../workspace/workspace.js';
import type { AgentConversation } from '../conversation/conversation.js';
import type { RuntimeTool } from '../tools/tool-port.js';
import type { ToolSet } from '../tools/tool-source.js';
import type { ToolRunResult } from '../turn/tool-run.js';
import { fillPrompt, NotForUserError } from './fill-prompt.js';
import { mentionedFiles } from './mentions.js';
import type { KnownPrompt } from './prompts.js';
import { skillTool } from './skill-tool.js';
import { commandTags, typedCommand, typedPrompt } from './typed.js';

export interface ExpanderParts {
  readonly conversation: Pick<AgentConversation, 'cwd' | 'knowledge' | 'model' | 'permissions'>;
  workspace(): Workspace | undefined;
  /** Runs a call of a tool as the model could, without asking anybody. */
  run(call: ToolUseBlock, signal: AbortSignal): Promise<ToolRunResult>;
  warn(text: string): void;
}

/** What the model reads of a prompt. */
export interface ExpandedPrompt {
  readonly blocks: UserContentBlock[];
  /** How the host sees it again, if not as it was said. */
  readonly replay?: string | undefined;
}

/** Makes of what the user typed what the model reads: fills in commands and skills, and adds mentioned files. */
export class PromptExpander implements ToolSet {
  readonly #parts: ExpanderParts;
  #skill: RuntimeTool | undefined;

  constructor(parts: ExpanderParts) {
    this.#parts = parts;
  }

  get version(): number {
    return this.#parts.conversation.knowledge.version;
  }

  /** The tool Skill, where there is something that it could load. */
  tools(): RuntimeTool[] {
    const { warn } = this.#parts;
    const { knowledge, permissions, model } = this.#parts.conversation;
    if (!knowledge.hasTool) return [];
    this.#skill ??= skillTool({
      knowledge,
      fill: (prompt, args, signal) => this.fill(prompt, args, signal),
      grant: (rules) => permissions.book.grant(rules),
      modelNamed: (name) => model.fullNameOf(name),
      warn,
    });
    return [this.#skill];
  }

  /** The skill or command that was typed, if it was one. */
  typed(content: readonly UserContentBlock[]): { prompt: KnownPrompt; args: string } | undefined {
    return typedPrompt(typedCommand(content), this.#parts.conversation.knowledge);
  }

  /** Throws a `PromptError` if a command cannot be used. */
  async expand(content: readonly UserContentBlock[], signal: AbortSignal): Promise<ExpandedPrompt> {
    const typed = this.typed(content);
    if (typed !== undefined) return this.#expandTyped(typed.prompt, typed.args, signal);
    const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
    const { permissions } = this.#parts.conversation;
    const files = await this.#mentioned(texts.join('\n'), (path, real) => permissions.mayMention(path, real));
    return { blocks: [...files, ...content] };
  }

  async #expandTyped(prompt: KnownPrompt, args: string, signal: AbortSignal): Promise<ExpandedPrompt> {
    const { name, isForUser, model } = prompt;
    if (!isForUser)
      throw new NotForUserError(`Only the model can use the skill "${name}": ask for what it does.`);
    this.#grant(prompt);
    const text = await this.fill(prompt, args, signal);
    const problem = model === undefined ? undefined : this.#parts.conversation.model.useForTurn(model);
    if (problem !== undefined) this.#parts.warn(`/${name} names a model that is not used: ${problem}`);
    // A text out of a file must not fetch what the agent would have to ask for.
    const { permissions } = this.#parts.conversation;
    const files = await this.#mentioned(text, (path) => permissions.readsFreely(path));
    const tags = commandTags({ name, args });
    return { blocks: [...files, { type: 'text', text: tags }, { type: 'text', text }], replay: tags };
  }

  /** What a file of a checkout would allow counts only where the user trusts it, like rules of its settings. */
  #grant({ name, source, allowedTools }: KnownPrompt): void {
    if (allowedTools.length === 0) return;
    const { warn } = this.#parts;
    const { knowledge, permissions } = this.#parts.conversation;
    if (source !== 'project' || knowledge.isTrusted) permissions.book.grant(allowedTools);
    else {
      warn(
        `/${name}: its \`allowed-tools\` do not count, because the project is not trusted. Trust it in Claude Code, or allow the tools yourself.`,
      );
    }
  }

  async #mentioned(
    text: string,
    mayRead: (path: string, real: string) => boolean | Promise<boolean>,
  ): Promise<UserContentBlock[]> {
    const workspace = this.#parts.workspace();
    if (workspace === undefined || !text.includes('@')) return [];
    const { cwd, knowledge } = this.#parts.conversation;
    const about = (real: string) => knowledge.about(real);
    const files = await mentionedFiles(text, { workspace, cwd, mayRead, about });
    return files.map((file) => ({ type: 'text', text: file }));
  }

  /** The text of a skill that an agent begins with. Rejects if there is none, or it is not for the model. */
  async skillText(name: string, signal: AbortSignal): Promise<string> {
    const { knowledge } = this.#parts.conversation;
    const prompt = knowledge.find(name);
    if (prompt?.isForModel !== true || !knowledge.isAllowed(prompt.name))
      throw new Error('there is no such skill.');
    return this.fill(prompt, '', signal);
  }

  /** The text of a skill or command. Rejects if it cannot be made. */
  fill(prompt: KnownPrompt, args: string, signal: AbortSignal): Promise<string> {
    return fillPrompt(prompt, args, (command, running) => this.#shell(command, running), signal);
  }

  async #shell(command: string, signal: AbortSignal): Promise<{ text: string; isError: boolean }> {
    const call: ToolUseBlock = {
      type: 'tool_use',
      id: `toolu_${clock.uuid()}`,
      name: 'Bash',
      input: { command },
    };
    const { outcome } = await this.#parts.run(call, signal);
    const { content, isError = false } = outcome;
    const texts =
      typeof content === 'string' ? [content] : content.map((block) => ('text' in block ? block.text : ''));
    return { text: texts.join('\n'), isError };
  }
}
