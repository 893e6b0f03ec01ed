import { clock } from '../../protocol/base/clock.js';
import { messageOf } from '../../protocol/base/errors.js';
import type { MessageParam } from '../../protocol/wire/content.js';
import type { Lines } from '../conversation/lines.js';
import type { Hooks } from '../hooks/hook-runner.js';
import type { CompactMetadata } from '../transcript/boundary.js';
import type { Transcript } from '../transcript/transcript.js';
import type { SummaryStrategy } from './context-options.js';
import type { ContextLimits, ContextWindow } from './context-window.js';
import {
  clearedByNeed,
  clearedUntil,
  startOfAnswer,
  startOfEnd,
  startOfLast,
  tokensSaved,
} from './shorten.js';
import { type SummaryDependencies, summaryIn, summaryOf } from './summary.js';

export interface CompactionDependencies extends Omit<SummaryDependencies, 'room' | 'context' | 'windowSize'> {
  window: ContextWindow;
  transcript: Transcript;
  lines: Lines;
  hooks: Hooks;
  /** The name of the model that is asked next, and how long its answer may be. */
  current(): { name: string; maxTokens: number };
  modelContext(signal: AbortSignal): SummaryDependencies['context'];
}

/** Clearing is worth a new prefix only if it frees a good part; otherwise it would be done again with the next request. */
const LEAST_FREED = 0.2;
/** If the rest cannot be summarized, more of it is kept word for word. */
const KEPT_WITHOUT_SUMMARY = 0.5;
/** What the words to the model that summarizes need. */
const TASK_TOKENS = 1_000;
const PLAIN: SummaryStrategy = { kind: 'summarize' };

/** What became of a compaction that somebody asked for. */
export type ManualOutcome = { kind: 'done' } | { kind: 'nothing' } | { kind: 'refused'; reason: string };

/** Makes room in the context window of a conversation. */
export class Compaction {
  readonly #it: CompactionDependencies;

  constructor(dependencies: CompactionDependencies) {
    this.#it = dependencies;
  }

  /** Before a request. Returns how many messages were shown in the user's name: the summary is one. */
  async makeRoom(signal: AbortSignal): Promise<number> {
    const { window, transcript } = this.#it;
    const shown = (await this.#byStrategy(this.#limits.limit, signal)) ? 1 : 0;
    // What is left may still be too long, such as the results of many calls at once.
    const excess = window.excess(transcript.messages, this.#limits);
    if (excess > 0) this.#clear(clearedByNeed(transcript.messages, excess));
    return shown;
  }

  /**
   * On demand: everything is summarized but the last answer, to which the next prompt may refer. Rejects if there is no
   * summary; the conversation is as before then.
   */
  async byHand(instructions: string, signal: AbortSignal, ready: () => void): Promise<ManualOutcome> {
    const { messages } = this.#it.transcript;
    if (!messages.some(({ role }) => role === 'assistant')) return { kind: 'nothing' };
    const strategy = this.#summaryStrategy ?? PLAIN;
    const custom = instructions === '' ? undefined : instructions;
    return this.#summarize('manual', custom, strategy, startOfAnswer(messages), signal, ready);
  }

  get #limits(): ContextLimits {
    const { name, maxTokens } = this.#it.current();
    return this.#it.window.limitsFor(name, maxTokens);
  }

  get #summaryStrategy(): SummaryStrategy | undefined {
    const step = this.#it.window.strategy.findLast((each) => each !== 'clearToolResults');
    return step === 'summarize' ? PLAIN : step;
  }

  /** Whether there is a new beginning. */
  async #byStrategy(limit: number, signal: AbortSignal): Promise<boolean> {
    const { window, transcript } = this.#it;
    const { messages } = transcript;
    const keep = window.keepWithin(limit);
    const start = keep === 0 ? startOfLast(messages) : startOfEnd(messages, window.sizes(messages), keep);
    for (const step of window.strategy) {
      if (step === 'clearToolResults') {
        const isEnough = this.#clearIfEnough(limit, start);
        if (isEnough) return false;
      } else if (start > 0) {
        const strategy = step === 'summarize' ? PLAIN : step;
        const outcome = await this.#summarize('auto', undefined, strategy, start, signal);
        if (outcome.kind === 'refused') window.leave(messages);
        return outcome.kind === 'done';
      }
    }
    return this.#dropOldest(limit, undefined);
  }

  #clearIfEnough(limit: number, start: number): boolean {
    const { window, transcript } = this.#it;
    const { messages } = transcript;
    const cleared = clearedUntil(messages, start);
    const before = window.used(messages);
    const freed = tokensSaved(messages, cleared);
    const isEnough = freed >= limit * LEAST_FREED && before - freed <= limit;
    // Where nothing else follows, every token counts.
    if (isEnough || (freed > 0 && window.strategy.length === 1)) this.#clear(cleared);
    return isEnough;
  }

  #clear(messages: readonly MessageParam[]): void {
    const { window, transcript, lines } = this.#it;
    const before = window.used(transcript.messages);
    const count = transcript.replace(messages);
    window.changed(transcript.messages);
    if (count === 0) return;
    const freed = Math.max(0, before - window.used(transcript.messages));
    lines.system('informational', {
      content: `Cleared the results of earlier tool calls in ${count} messages to make room: about ${freed} tokens.`,
      level: 'notice',
      tag: 'tool_results_cleared',
    });
  }

  async #summarize(
    trigger: 'manual' | 'auto',
    custom: string | undefined,
    strategy: SummaryStrategy,
    start: number,
    signal: AbortSignal,
    ready: () => void = () => {},
  ): Promise<ManualOutcome> {
    const { lines, hooks, transcript } = this.#it;
    const started = clock.monotonic();
    lines.system('status', { status: 'compacting' });
    const asked = await hooks.run({
      event: 'PreCompact',
      subject: trigger,
      fields: { trigger, custom_instructions: custom ?? null },
      signal,
    });
    const reason = asked.block ?? asked.stop;
    if (reason !== undefined) {
      this.#ended(`A PreCompact hook prevented it: ${reason}`);
      return { kind: 'refused', reason };
    }
    const instructions = [...(custom === undefined ? [] : [custom]), ...asked.contexts];
    let said: string;
    try {
      signal.throwIfAborted();
      said = await this.#said(transcript.messages.slice(0, start), instructions, strategy, signal);
    } catch (error) {
      this.#ended(signal.aborted ? 'The turn was interrupted.' : messageOf(error));
      if (signal.aborted || trigger === 'manual') throw error;
      this.#dropOldest(this.#limits.limit, messageOf(error));
      return { kind: 'done' };
    }
    const fields = { source: 'compact' as const, model: this.#it.current().name };
    const { contexts } = await hooks.run({ event: 'SessionStart', subject: 'compact', fields, signal });
    const after = { trigger, compact_summary: said };
    await hooks.run({ event: 'PostCompact', subject: trigger, fields: after, signal });
    this.#ended();
    ready();
    const summary = summaryText(summaryIn(said), start < transcript.messages.length);
    this.#begin(trigger, [summary, ...contexts], start, started);
    return { kind: 'done' };
  }

  async #said(
    messages: readonly MessageParam[],
    instructions: readonly string[],
    strategy: SummaryStrategy,
    signal: AbortSignal,
  ): Promise<string> {
    const { window, current, modelContext } = this.#it;
    const { name, maxTokens } = current();
    const { system, tools } = window.fixed;
    const room = window.limitsFor(name, maxTokens).room - system - tools - TASK_TOKENS;
    const windowSize = window.saidFor(name);
    const dependencies = { ...this.#it, windowSize, room, context: modelContext(signal) };
    return summaryOf(messages, instructions, strategy, dependencies);
  }

  #ended(problem?: string): void {
    const result = problem === undefined ? 'success' : 'failed';
    this.#it.lines.system('status', {
      status: null,
      compact_result: result,
      ...(problem === undefined ? {} : { compact_error: problem }),
    });
  }

  /** Never loses the end of the conversation. False if there is nothing that could be left out. */
  #dropOldest(limit: number, problem: string | undefined): boolean {
    const { window, transcript } = this.#it;
    const { messages } = transcript;
    if (window.used(messages) <= limit) return false;
    const start = startOfEnd(messages, window.sizes(messages), limit * KEPT_WITHOUT_SUMMARY);
    if (start === 0) return false;
    const why = problem === undefined ? '' : `, and it could not be summarized (${problem})`;
    const text = `[The earlier part of this conversation was left out here: it became too long${why}. Ask for what you need to know again.]`;
    this.#begin('auto', [text], start, clock.monotonic());
    return true;
  }

  /** The new beginning of the conversation: told to the host, and kept in the transcript. */
  #begin(trigger: 'manual' | 'auto', texts: readonly string[], start: number, started: number): void {
    const { window, transcript, lines } = this.#it;
    const before = window.used(transcript.messages);
    const content =
      trigger === 'manual' ? texts.join('\n\n') : texts.map((text) => ({ type: 'text' as const, text }));
    const boundary = transcript.compact({ role: 'user', content }, start);
    window.changed(transcript.messages);
    const after = window.used(transcript.messages);
    window.dropped += Math.max(0, before - after);
    const metadata: CompactMetadata = {
      trigger,
      pre_tokens: before,
      post_tokens: after,
      cumulative_dropped_tokens: window.dropped,
      duration_ms: Math.round(clock.monotonic() - started),
      ...boundary.preserved,
    };
    transcript.addBoundary(boundary, metadata);
    lines.send({
      type: 'system',
      subtype: 'compact_boundary',
      compact_metadata: metadata,
      logical_parent_uuid: boundary.parent,
      uuid: boundary.uuid,
    });
    const isByHand = trigger === 'manual' ? { isReplay: false } : {};
    lines.user(content, { ...isByHand, isSynthetic: true, uuid: boundary.summary });
  }
}

function summaryText(summary: string, hasEnd: boolean): string {
  const end = hasEnd
    ? '\n\nThe messages after this one are the latest of the conversation, word for word. The summary was written without them.'
    : '';
  return (
    'The earlier part of this conversation was replaced by this summary, because it became too long.\n\n' +
    `${summary}\n\nGo on from there without mentioning the summary.${end}`
  );
}
