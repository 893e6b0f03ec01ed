import { untilAborted } from '../../protocol/base/cancellation.js';
import { clock, timestamp } from '../../protocol/base/clock.js';
import { messageOf } from '../../protocol/base/errors.js';
import type { MessageParam, UserContentBlock } from '../../protocol/wire/content.js';
import type { MessageFrame } from '../../protocol/wire/frames.js';
import { runCompactCommand } from '../context/compact-command.js';
import type { PromptHooks } from '../hooks/prompt-hooks.js';
import { NotForUserError, PromptError } from '../knowledge/fill-prompt.js';
import type { ExpandedPrompt, PromptExpander } from '../knowledge/prompt-expander.js';
import { typedCommand } from '../knowledge/typed.js';
import type { RuntimeStart } from '../start/runtime-config.js';
import { letLead } from '../subagents/leading-agent.js';
import type { Transcript } from '../transcript/transcript.js';
import { newTurn, type TurnParts } from '../turn/new-turn.js';
import { emptyTurn, type TurnOutcome } from '../turn/turn-record.js';
import type { AgentConversation } from './conversation.js';
import { type Lines, refused, type Warnings } from './lines.js';
import { compactCommandIn, contentOf, textOf } from './message-queue.js';
import { newsOrigin } from './turn-loop.js';

export interface PromptingParts {
  readonly conversation: AgentConversation;
  readonly start: RuntimeStart;
  readonly lines: Lines;
  readonly warnings: Warnings;
  readonly hooks: PromptHooks;
  readonly expander: PromptExpander;
  /** No turn has had a result yet. */
  isFirst(): boolean;
  transcript(): Transcript | undefined;
  turnParts(): TurnParts;
  remember(message: MessageParam, lines?: readonly string[]): void;
  /** Begins a new session in which nothing was said. */
  beginAnew(): Promise<void>;
}

/** From a message of the host to the outcome of its turn: hooks, commands, and the model. */
export class Prompting {
  readonly #parts: PromptingParts;

  constructor(parts: PromptingParts) {
    this.#parts = parts;
  }

  /** Called before the first turn: what a hook, and then the agent that leads, is to say before everybody else. */
  async first(signal: AbortSignal): Promise<MessageFrame[]> {
    const { conversation, start, hooks, warnings } = this.#parts;
    const said = [letLead(conversation, start.flags, (text) => warnings.add(text))];
    try {
      const content = await hooks.initialMessage(signal);
      if (content !== undefined) said.unshift({ type: 'user', message: { role: 'user', content } });
    } catch (error) {
      warnings.add(messageOf(error));
    }
    return said.filter((message) => message !== undefined);
  }

  async run(message: MessageFrame, signal: AbortSignal): Promise<TurnOutcome> {
    const content = contentOf(message);
    // What the model would answer could not be stored.
    const conflict = this.#parts.transcript()?.conflict;
    if (conflict !== undefined) throw conflict;
    this.#parts.conversation.permissions.book.beginTurn();
    const instructions = compactCommandIn(content);
    if (instructions !== undefined) {
      await this.#serversSettled(signal);
      return runCompactCommand(instructions, this.#parts.turnParts(), signal, () => this.#introduce());
    }
    const name = typedCommand(content)?.name ?? '';
    return CLEARING.has(name) ? this.#clear(message, name, signal) : this.#prompt(message, content, signal);
  }

  async #prompt(
    message: MessageFrame,
    content: readonly UserContentBlock[],
    signal: AbortSignal,
  ): Promise<TurnOutcome> {
    const { conversation, hooks, lines, expander, remember, turnParts } = this.#parts;
    const isNews = newsOrigin(message) !== undefined;
    const goesOn = isEmpty(content) && this.#lastRole === 'user';
    if (isEmpty(content) && this.#lastRole === 'assistant') return this.#nothingLeft(signal);
    const verdict = goesOn ? await hooks.goneOn(signal) : await hooks.submitted(textOf(content), signal);
    const typed = isNews ? undefined : expander.typed(content);
    const blocked =
      typed === undefined || verdict.refusal !== undefined
        ? undefined
        : await hooks.expanded(typed.prompt, typed.args, textOf(content), signal);
    await this.#serversSettled(signal);
    this.#introduce();
    if (verdict.refusal?.prompt_submit_outcome.prompt_kept === false) return refused(verdict.refusal, lines);
    if (blocked !== undefined) {
      lines.system('informational', { content: blocked, level: 'warning', prevent_continuation: true });
      return customCommand(blocked);
    }
    let expanded: ExpandedPrompt = { blocks: [...content] };
    try {
      if (!isNews) expanded = await expander.expand(content, signal);
    } catch (error) {
      if (error instanceof PromptError && typed !== undefined)
        return this.#failed(error, typed.prompt.name, typed.args);
      throw error;
    }
    const turn = newTurn(turnParts(), signal);
    const open = this.#parts.transcript()?.open ?? [];
    const end = open.length === 0 || message.shouldQuery === false ? undefined : await turn.takeUp(open);
    if (end !== undefined) {
      if (!goesOn) lines.system('informational', { content: NOT_READ, level: 'warning' });
      return end;
    }
    const contexts = verdict.contexts.map((text) => ({ type: 'text' as const, text }));
    if (goesOn) {
      if (contexts.length > 0) remember({ role: 'user', content: contexts });
      return turn.run();
    }
    const line = this.#replay(message, expanded.replay) ?? message.uuid;
    remember(
      { role: 'user', content: [...expanded.blocks, ...contexts] },
      typeof line === 'string' ? [line] : [],
    );
    if (!isNews && typeof line === 'string') await (await conversation.files())?.said(line);
    if (verdict.refusal !== undefined) return refused(verdict.refusal, lines);
    if (message.shouldQuery === false) return emptyTurn('');
    return turn.run();
  }

  get #lastRole(): MessageParam['role'] | undefined {
    return this.#parts.conversation.messages.at(-1)?.role;
  }

  /** An empty prompt says that what was begun is to go on, and everything is answered. */
  async #nothingLeft(signal: AbortSignal): Promise<TurnOutcome> {
    await this.#serversSettled(signal);
    this.#introduce();
    return emptyTurn('');
  }

  /** A command that could not be used. The model is not asked: it would guess what the text was to say. */
  #failed(error: PromptError, command: string, args: string): TurnOutcome {
    const { message } = error;
    const isRefused = error instanceof NotForUserError;
    const tag = isRefused ? 'local-command-stdout' : 'local-command-stderr';
    const local_command_source = `<${tag}>${message}</${tag}>`;
    const run = { local_command_run: { command, args }, local_command_outcome: { kind: 'failed' as const } };
    this.#parts.lines.commandSays(message, { local_command_source, ...(isRefused ? {} : run) });
    return customCommand(message);
  }

  async #clear(message: MessageFrame, name: string, signal: AbortSignal): Promise<TurnOutcome> {
    const { hooks, lines, conversation, beginAnew } = this.#parts;
    await this.#serversSettled(signal);
    await hooks.cleared(signal);
    await conversation.tasks.stopAll();
    const id = clock.uuid();
    lines.send({
      type: 'conversation_reset',
      new_conversation_id: id,
      uuid: id,
      trigger: 'clear',
      user_message_uuid: typeof message.uuid === 'string' ? message.uuid : clock.uuid(),
      timestamp: timestamp(),
    });
    lines.system('background_tasks_changed', { tasks: [] });
    await beginAnew();
    await hooks.begunAnew(signal);
    this.#introduce();
    this.#replay(message, `<command-name>/${name}</command-name>`);
    return { ...emptyTurn(''), localCommand: name };
  }

  /** An interrupt does not wait for a server that does not answer; the turn itself then notices the signal. */
  async #serversSettled(signal: AbortSignal): Promise<void> {
    await untilAborted(this.#parts.conversation.tools.hub.settled(), signal).catch(() => {});
  }

  #introduce(): void {
    const { warnings, conversation, start, isFirst } = this.#parts;
    warnings.introduce(conversation, start, isFirst());
  }

  /** Echoes the message to the host, with its own id. */
  #replay({ message, uuid }: MessageFrame, instead: string | undefined): string | undefined {
    if (!this.#parts.start.flags.replayUserMessages) return undefined;
    const { content } = (message ?? {}) as MessageParam;
    const id = typeof uuid === 'string' ? { uuid } : {};
    return this.#parts.lines.user(instead ?? content, { isReplay: true, ...id });
  }
}

function isEmpty(content: readonly UserContentBlock[]): boolean {
  return content.every((block) => block.type === 'text' && block.text.trim() === '');
}

const NOT_READ =
  'The prompt was not read: calls from before it have to be finished first. Send it again after that.';

/** The names of the command by which a conversation begins anew. */
const CLEARING: ReadonlySet<string> = new Set(['clear', 'reset', 'new']);

/** A command that was run instead of a turn. */
function customCommand(text: string): TurnOutcome {
  return { ...emptyTurn(text), localCommand: 'custom' };
}
