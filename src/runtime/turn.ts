import { setMaxListeners } from 'node:events';
import type { MessageParam, ToolUseBlock, UserContentBlock } from '../protocol/content.js';
import { untilAborted } from './abortable.js';
import { type AssistantMessage, AssistantStream } from './assistant-stream.js';
import type { HookRunner, HookVerdict } from './hook-runner.js';
import type { Lines } from './lines.js';
import { type AnswerDependencies, readAnswer } from './model-answer.js';
import { type ShownResults, showResults } from './tool-results.js';
import { runTool, type ToolRunDependencies, type ToolRunResult } from './tool-run.js';
import { ToolSchedule } from './tool-schedule.js';
import type { StructuredOutput } from './tools/structured-output.js';
import { type Limit, MAX_STRUCTURED_TRIES, type TurnLimits } from './turn-limits.js';
import type { TurnOutcome } from './turn-outcome.js';
import { TurnRecord } from './turn-record.js';
import type { UsageLedger } from './usage.js';

export interface TurnDependencies extends ToolRunDependencies, AnswerDependencies {
  hooks: HookRunner;
  lines: Lines;
  usage: UsageLedger;
  /** Adds to what was said so far; `lines` are the ids of those that showed it. */
  remember(message: MessageParam, lines?: readonly string[]): void;
  structured: StructuredOutput | undefined;
  limits: TurnLimits;
  /** Resolves when the list of tools is up to date. */
  ready(): Promise<void>;
  /** Messages that came while tools ran: the model reads them with the results. */
  takeQueued(): UserContentBlock[];
  noteDenial(result: ToolRunResult): void;
}

/** From a prompt to the end of the answer: model, tools, model, until nothing is asked for any more. */
export class Turn {
  readonly #with: TurnDependencies;
  readonly #record: TurnRecord;
  readonly #signal: AbortSignal;
  /** The host or a broken answer ends what is under way in this turn. */
  readonly #cut = new AbortController();
  readonly #running: AbortSignal;
  #modelCalls = 0;
  #stopHookActive = false;
  #structuredReminders = 0;
  #lastText = '';

  constructor(dependencies: TurnDependencies, signal: AbortSignal) {
    this.#with = dependencies;
    this.#record = new TurnRecord(dependencies);
    this.#signal = signal;
    this.#running = AbortSignal.any([signal, this.#cut.signal]);
    // Each call of an answer listens, and an answer may have any number of them.
    setMaxListeners(0, this.#running);
  }

  async run(): Promise<TurnOutcome> {
    for (;;) {
      const end =
        this.#limitReached(this.#with.limits.beforeRequest(this.#modelCalls)) ?? (await this.#step());
      if (end !== undefined) return end;
    }
  }

  /** One request to the model and what it asks for; undefined: go on. */
  async #step(): Promise<TurnOutcome | undefined> {
    const schedule = new ToolSchedule<ToolRunResult>();
    const stream = new AssistantStream();
    try {
      this.#modelCalls += 1;
      await this.#ask(stream, schedule);
    } catch (error) {
      this.#cut.abort();
      return this.#brokenOff(this.#takeAnswer(stream.message), await schedule.results(), error);
    }
    const { message } = stream;
    this.#record.stopReason = message.stopReason;
    const asked = this.#takeAnswer(message);
    if (asked.length === 0) return this.#answered(message);
    return this.#resultsIn(asked, await schedule.results());
  }

  /** What the answer asks for. An answer without words or calls is not remembered: the model's API refuses it. */
  #takeAnswer(message: AssistantMessage): ToolUseBlock[] {
    if (message.id !== '') this.#with.usage.add(message.model, message.usage);
    const lines = this.#record.takeShown();
    const saysSomething = message.content.some(
      ({ type }) => type !== 'thinking' && type !== 'redacted_thinking',
    );
    if (saysSomething) this.#with.remember({ role: 'assistant', content: message.content as never }, lines);
    return message.content.filter((block) => block.type === 'tool_use');
  }

  /** The answer ended too soon. Calls that it had made by then may have had an effect, so the model is told of them. */
  #brokenOff(
    asked: ToolUseBlock[],
    settled: PromiseSettledResult<ToolRunResult>[],
    error: unknown,
  ): TurnOutcome {
    if (asked.length === 0) {
      return this.#signal.aborted
        ? this.#record.interruptedWhileStreaming()
        : this.#record.modelFailed(error);
    }
    const { blocks, stop } = this.#resultBlocks(asked, settled);
    if (this.#signal.aborted || stop?.kind === 'interrupt') return this.#record.interrupted(blocks);
    this.#with.remember({ role: 'user', content: blocks }, this.#record.takeShown());
    return this.#record.modelFailed(error);
  }

  async #ask(stream: AssistantStream, schedule: ToolSchedule<ToolRunResult>): Promise<void> {
    await untilAborted(this.#with.ready(), this.#running);
    await readAnswer(stream, this.#with, this.#modelCalls === 1, this.#running, (block, line) => {
      this.#record.shown.push(line);
      if (block.type === 'text') this.#lastText = block.text;
      if (block.type === 'tool_use') this.#begin(block, schedule);
    });
  }

  /** While the answer still streams. */
  #begin(block: ToolUseBlock, schedule: ToolSchedule<ToolRunResult>): void {
    const isReadOnly = this.#with.find(block.name)?.isReadOnly ?? true;
    schedule
      .add(isReadOnly, async () => {
        this.#running.throwIfAborted();
        const run = await runTool(block, this.#with, this.#running);
        // Who says "no, and stop" wants neither the calls behind it nor the rest of the answer.
        if (run.stop?.kind === 'interrupt') this.#cut.abort();
        return run;
      })
      .catch(() => {});
  }

  async #resultsIn(
    asked: ToolUseBlock[],
    settled: PromiseSettledResult<ToolRunResult>[],
  ): Promise<TurnOutcome | undefined> {
    const { blocks, stop, deferred } = this.#resultBlocks(asked, settled);
    if (this.#signal.aborted || stop?.kind === 'interrupt') return this.#record.interrupted(blocks);
    const end = this.#endAfterTools(stop, deferred);
    // When the turn ends here nobody would answer what waits: it stays for a turn of its own.
    if (end === undefined) blocks.push(...this.#with.takeQueued());
    this.#with.remember({ role: 'user', content: blocks }, this.#record.takeShown());
    return end ?? this.#structureGiven();
  }

  #endAfterTools(stop: ToolRunResult['stop'], deferred: ToolUseBlock | undefined): TurnOutcome | undefined {
    if (stop?.kind === 'hook') return this.#record.finished('', 'hook_stopped');
    if (deferred === undefined) {
      const isGiven = this.#with.structured?.isGiven === true;
      return isGiven ? undefined : this.#limitReached(this.#with.limits.afterTools(this.#modelCalls));
    }
    const { id, name, input } = deferred;
    const outcome = this.#record.finished('', 'tool_deferred');
    return { ...outcome, stopReason: 'tool_deferred', deferredToolUse: { id, name, input } };
  }

  #resultBlocks(asked: ToolUseBlock[], settled: PromiseSettledResult<ToolRunResult>[]): ShownResults {
    const { lines, noteDenial } = this.#with;
    const results = showResults(asked, settled, lines, noteDenial);
    this.#record.userLines += asked.length;
    this.#record.shown.push(...results.shown);
    return results;
  }

  /** The answer is there in the structure that was asked for. Hooks hear of the end; it is too late for them to say no. */
  async #structureGiven(): Promise<TurnOutcome | undefined> {
    const { structured } = this.#with;
    if (!structured?.isGiven) return undefined;
    const verdict = await this.#stopHooks();
    if (this.#signal.aborted) return this.#record.interruptedWhileStreaming();
    return this.#record.finished(JSON.stringify(structured.value), stopped(verdict));
  }

  /** The model asks for nothing more: is that really the end? */
  async #answered(message: AssistantMessage): Promise<TurnOutcome | undefined> {
    const { structured, remember, lines, limits } = this.#with;
    const spent = this.#limitReached(limits.budget());
    if (spent !== undefined) return spent;
    if (structured !== undefined && !structured.isGiven) {
      this.#structuredReminders += 1;
      if (this.#structuredReminders >= MAX_STRUCTURED_TRIES) return this.#limitReached(limits.noStructure());
      remember({ role: 'user', content: `Give the answer by calling ${structured.tool.name}.` });
      return this.#limitReached(limits.afterTools(this.#modelCalls));
    }
    const verdict = await this.#stopHooks();
    if (this.#signal.aborted) return this.#record.interruptedWhileStreaming();
    if (verdict.stop === undefined && (verdict.block !== undefined || verdict.contexts.length > 0)) {
      this.#goOn(verdict, remember, lines);
      return this.#limitReached(limits.afterTools(this.#modelCalls));
    }
    const text = message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    return this.#record.finished(text, stopped(verdict));
  }

  async #stopHooks(): Promise<HookVerdict> {
    const fields = {
      stop_hook_active: this.#stopHookActive,
      ...(this.#lastText === '' ? {} : { last_assistant_message: this.#lastText }),
      background_tasks: [],
      session_crons: [],
    };
    return this.#with.hooks.run({ event: 'Stop', fields, signal: this.#signal });
  }

  /** A hook does not let the turn end: the model reads why, and goes on. */
  #goOn({ block, contexts }: HookVerdict, remember: TurnDependencies['remember'], lines: Lines): void {
    const content = contexts.map((text) => ({ type: 'text' as const, text }));
    const shown: string[] = [];
    if (block !== undefined) {
      const feedback = { type: 'text' as const, text: `Stop hook feedback:\n${block}` };
      content.unshift(feedback);
      shown.push(lines.user([feedback], { isSynthetic: true }));
      this.#record.userLines += 1;
    }
    remember({ role: 'user', content }, shown);
    this.#stopHookActive = true;
  }

  #limitReached(limit: Limit | undefined): TurnOutcome | undefined {
    return limit === undefined
      ? undefined
      : this.#record.failed(limit.subtype, limit.terminalReason, limit.text);
  }
}

function stopped({ stop }: HookVerdict): string {
  return stop === undefined ? 'completed' : 'stop_hook_prevented';
}
