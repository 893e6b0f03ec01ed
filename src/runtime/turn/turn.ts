import { untilAborted } from '../../protocol/base/cancellation.js';
import { loopTurn } from '../../protocol/base/clock.js';
import { messageOf } from '../../protocol/base/errors.js';
import type { ToolUseBlock, UserContentBlock } from '../../protocol/wire/content.js';
import { isOverflow } from '../context/overflow.js';
import type { HookVerdict } from '../hooks/hook-runner.js';
import type { OpenCall } from '../transcript/open-calls.js';
import { type AssistantMessage, AssistantStream } from './assistant-stream.js';
import { BROKEN_OFF, NOT_STORED, notBegun } from './durable-calls.js';
import { HistoryError } from './history-policy.js';
import { byCurrentNames, readAnswer } from './model-answer.js';
import { callsToFinish } from './open-call.js';
import { type ShownResults, showResults } from './tool-results.js';
import { runTool, type ToolRunResult } from './tool-run.js';
import { isConcurrent, ToolSchedule } from './tool-schedule.js';
import type { TurnDependencies } from './turn-dependencies.js';
import { type Limit, MAX_STRUCTURED_TRIES, type TurnOutcome, TurnRecord } from './turn-record.js';

/** From a prompt to the end of the answer: model, tools, model, until no more tools are requested. */
export class Turn {
  readonly #dependencies: TurnDependencies;
  readonly #record: TurnRecord;
  readonly #signal: AbortSignal;
  /** Aborts what is under way in this turn, for the host or because an answer broke off. */
  readonly #cut = new AbortController();
  readonly #running: AbortSignal;
  #modelCalls = 0;
  #stopHookActive = false;
  #structuredReminders = 0;
  #lastText = '';
  /** A request was too long, and room was made: the next one is the last try. */
  #isLastTry = false;
  /** Nobody has stopped the turn, only its program: whoever goes on asks the model again. */
  readonly #isLeftOpen = (): boolean => this.#dependencies.durable?.isLeftOpen(this.#signal) === true;

  constructor(dependencies: TurnDependencies, signal: AbortSignal) {
    this.#dependencies = dependencies;
    this.#record = new TurnRecord(dependencies);
    this.#signal = signal;
    this.#running = AbortSignal.any([signal, this.#cut.signal]);
    // Every call of an answer adds a listener, and their number is not limited.
    dependencies.expectListeners(this.#running);
  }

  /** Finishes the calls of an earlier program. Undefined: go on with `run`. */
  async takeUp(open: readonly OpenCall[]): Promise<TurnOutcome | undefined> {
    const schedule = new ToolSchedule<ToolRunResult>();
    const asked = open.map(({ block }) => block);
    try {
      const calls = await callsToFinish(open, this.#dependencies, this.#running);
      for (const [block, finish] of calls) this.#begin(block, schedule, finish);
    } catch (error) {
      // Nothing is remembered, so that they can be taken up another time.
      return this.#record.broken(messageOf(error));
    }
    // What is queued comes after the prompt that this turn is for.
    return this.#resultsIn(asked, schedule, () => []);
  }

  async run(): Promise<TurnOutcome> {
    for (;;) {
      const { limits } = this.#dependencies;
      await limits.learnPrice();
      const end =
        this.#limitReached(limits.beforeRequest(this.#modelCalls)) ??
        (this.#isLastTry ? undefined : await this.#roomMade()) ??
        (await this.#step());
      if (end !== undefined) return end;
    }
  }

  /** There is room for a request; undefined: continue. */
  async #roomMade(tooLong?: { error: unknown }): Promise<TurnOutcome | undefined> {
    const { ready, makeRoom, limits } = this.#dependencies;
    try {
      const turn = loopTurn();
      if (turn !== undefined) await untilAborted(turn, this.#running);
      await untilAborted(ready(), this.#running);
      const shown = await makeRoom(this.#running, tooLong !== undefined);
      if (shown === undefined) return this.#record.modelFailed(tooLong?.error);
      this.#record.userLines += shown;
      return shown === 0 ? undefined : this.#limitReached(limits.budget());
    } catch (error) {
      return this.#signal.aborted
        ? this.#record.stopped(this.#isLeftOpen())
        : this.#record.broken(messageOf(error));
    }
  }

  /** One request to the model and the calls it makes; undefined: continue. */
  async #step(): Promise<TurnOutcome | undefined> {
    const schedule = new ToolSchedule<ToolRunResult>();
    const stream = new AssistantStream();
    try {
      this.#modelCalls += 1;
      await this.#ask(stream, schedule);
    } catch (error) {
      if (stream.message.id === '' && !this.#isLastTry && !this.#running.aborted && isOverflow(error)) {
        this.#isLastTry = true;
        this.#modelCalls -= 1;
        return this.#roomMade({ error });
      }
      this.#cut.abort();
      if (this.#isLeftOpen()) return this.#record.leftOpen();
      return this.#brokenOff(await this.#takeAnswer(stream.message), schedule, error);
    }
    this.#isLastTry = false;
    const { message } = stream;
    const { durable, takeQueued } = this.#dependencies;
    this.#record.stopReason = message.stopReason;
    const asked = await this.#takeAnswer(message);
    if (asked.length === 0) return this.#answered(message);
    if (durable === undefined) return this.#resultsIn(asked, schedule, takeQueued);
    try {
      await durable.stored();
    } catch (error) {
      const { blocks } = await this.#resultBlocks(asked, notBegun(asked, NOT_STORED));
      this.#dependencies.remember({ role: 'user', content: blocks }, this.#record.takeShown());
      return this.#record.broken(messageOf(error));
    }
    for (const block of asked) this.#start(block, stream, schedule);
    return this.#resultsIn(asked, schedule, takeQueued);
  }

  /** The calls of an answer. One without text or calls is not remembered: the model's API would reject it. */
  async #takeAnswer(message: AssistantMessage): Promise<ToolUseBlock[]> {
    const { usage, modelSize, remember, find } = this.#dependencies;
    if (message.id !== '') {
      await usage.learn(message.model);
      usage.add(message.model, message.usage, await modelSize());
    }
    const lines = this.#record.takeShown();
    const saysSomething = message.content.some(
      ({ type }) => type !== 'thinking' && type !== 'redacted_thinking',
    );
    if (saysSomething) remember({ role: 'assistant', content: byCurrentNames(message, find) }, lines);
    return message.content.filter((block) => block.type === 'tool_use');
  }

  /**
   * The answer broke off. Calls it had already made may have had an effect, so the model is told about
   * them.
   */
  async #brokenOff(
    asked: ToolUseBlock[],
    schedule: ToolSchedule<ToolRunResult>,
    error: unknown,
  ): Promise<TurnOutcome> {
    if (asked.length === 0) {
      if (this.#signal.aborted) return this.#record.stopped(this.#isLeftOpen());
      return error instanceof HistoryError
        ? this.#record.broken(error.message)
        : this.#record.modelFailed(error);
    }
    const calls = this.#dependencies.durable === undefined ? schedule : notBegun(asked, BROKEN_OFF);
    const { blocks, stop } = await this.#resultBlocks(asked, calls);
    if (this.#signal.aborted || stop?.kind === 'interrupt') return this.#interrupted(blocks);
    this.#dependencies.remember({ role: 'user', content: blocks }, this.#record.takeShown());
    return this.#record.modelFailed(error);
  }

  async #ask(stream: AssistantStream, schedule: ToolSchedule<ToolRunResult>): Promise<void> {
    const { durable } = this.#dependencies;
    await readAnswer(stream, this.#dependencies, this.#modelCalls === 1, this.#running, (block, line) => {
      this.#record.shown.push(line);
      if (block.type === 'text') this.#lastText = block.text;
      if (block.type === 'tool_use' && durable === undefined) this.#start(block, stream, schedule);
    });
    await durable?.settleUnreadable(stream);
  }

  /** Starts a call, while the answer is still streaming unless that has to be stored first. */
  #start(block: ToolUseBlock, { unreadable }: AssistantStream, schedule: ToolSchedule<ToolRunResult>): void {
    const problem = unreadable.get(block.id);
    this.#begin(block, schedule, () => runTool(block, problem, this.#dependencies, this.#running));
  }

  #begin(
    block: ToolUseBlock,
    schedule: ToolSchedule<ToolRunResult>,
    runIt: () => Promise<ToolRunResult>,
  ): void {
    const tool = this.#dependencies.find(block.name);
    schedule
      .add(tool === undefined || isConcurrent(tool, block), async () => {
        this.#running.throwIfAborted();
        const run = await runIt();
        // A denial that interrupts also cancels the calls after it and the rest of the answer.
        if (run.stop?.kind === 'interrupt') this.#cut.abort();
        return run;
      })
      .catch(() => {});
  }

  async #resultsIn(
    asked: ToolUseBlock[],
    schedule: ToolSchedule<ToolRunResult>,
    takeQueued: () => UserContentBlock[],
  ): Promise<TurnOutcome | undefined> {
    const { blocks, stop, deferred } = await this.#resultBlocks(asked, schedule);
    if (this.#isLeftOpen()) return this.#record.leftOpen();
    if (this.#signal.aborted || stop?.kind === 'interrupt') return this.#interrupted(blocks);
    const end = this.#endAfterTools(stop, deferred?.at(-1));
    // If the turn ends here, queued messages stay queued for their own turn.
    if (end === undefined) blocks.push(...takeQueued());
    const open = end?.deferredToolUse === undefined ? undefined : deferred;
    this.#dependencies.remember({ role: 'user', content: blocks }, this.#record.takeShown(), open);
    return end ?? this.#structureGiven();
  }

  #interrupted(blocks: UserContentBlock[]): Promise<TurnOutcome> {
    return this.#dependencies.endSubagents().then(() => this.#record.interrupted(blocks));
  }

  #endAfterTools(stop: ToolRunResult['stop'], deferred: ToolUseBlock | undefined): TurnOutcome | undefined {
    if (stop?.kind === 'hook') return this.#record.finished('', 'hook_stopped');
    if (stop?.kind === 'journal') return this.#record.broken(stop.reason);
    if (deferred === undefined) {
      const isGiven = this.#dependencies.structured?.isGiven === true;
      return isGiven ? undefined : this.#limitReached(this.#dependencies.limits.afterTools(this.#modelCalls));
    }
    return this.#record.deferred(deferred);
  }

  async #resultBlocks(
    asked: ToolUseBlock[],
    { calls }: { readonly calls: readonly Promise<ToolRunResult>[] },
  ): Promise<ShownResults> {
    const { lines, noteDenial } = this.#dependencies;
    const results = await showResults(asked, calls, lines, noteDenial);
    const deferred = results.deferred?.length ?? 0;
    this.#record.userLines += Math.max(asked.length - deferred, results.shown.length);
    this.#record.shown.push(...results.shown);
    return results;
  }

  /** The structured answer was given. Stop hooks run, but can no longer prevent the end. */
  async #structureGiven(): Promise<TurnOutcome | undefined> {
    const { structured } = this.#dependencies;
    if (!structured?.isGiven) return undefined;
    const verdict = await this.#stopHooks();
    if (this.#signal.aborted) return this.#record.stopped(this.#isLeftOpen());
    return this.#record.ended(JSON.stringify(structured.value), verdict);
  }

  /** The model requested no tools: checks whether the turn may end. */
  async #answered(message: AssistantMessage): Promise<TurnOutcome | undefined> {
    const { structured, remember, limits } = this.#dependencies;
    const spent = this.#limitReached(limits.budget());
    if (spent !== undefined) return spent;
    if (structured !== undefined && !structured.isGiven) {
      this.#structuredReminders += 1;
      if (this.#structuredReminders >= MAX_STRUCTURED_TRIES) return this.#limitReached(limits.noStructure());
      remember({ role: 'user', content: `Give the answer by calling ${structured.tool.name}.` });
      this.#record.userLines += 1;
      return this.#limitReached(limits.afterTools(this.#modelCalls));
    }
    const verdict = await this.#stopHooks();
    if (this.#signal.aborted) return this.#record.stopped(this.#isLeftOpen());
    if (verdict.stop === undefined && (verdict.block !== undefined || verdict.contexts.length > 0)) {
      this.#continueWith(verdict);
      return this.#limitReached(limits.afterTools(this.#modelCalls));
    }
    const text = message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    return this.#record.ended(text, verdict);
  }

  async #stopHooks(): Promise<HookVerdict> {
    const fields = {
      stop_hook_active: this.#stopHookActive,
      ...(this.#lastText === '' ? {} : { last_assistant_message: this.#lastText }),
      background_tasks: this.#dependencies.backgroundTasks(),
      session_crons: [],
    };
    return this.#dependencies.hooks.run({ event: 'Stop', fields, signal: this.#signal });
  }

  /** A hook prevented the end of the turn: the model reads why and continues. */
  #continueWith({ block, contexts }: HookVerdict): void {
    const { remember, lines } = this.#dependencies;
    const content = contexts.map((text) => ({ type: 'text' as const, text }));
    const shown: string[] = [];
    if (block !== undefined) {
      content.unshift({ type: 'text', text: `Stop hook feedback:\n${block}` });
      shown.push(lines.user(content.slice(0, 1), { isSynthetic: true }));
      this.#record.userLines += 1;
    }
    remember({ role: 'user', content }, shown);
    this.#stopHookActive = true;
  }

  #limitReached(limit: Limit | undefined): TurnOutcome | undefined {
    if (limit === undefined) return undefined;
    const outcome = this.#record.failed(limit.subtype, limit.terminalReason, limit.text);
    // As the CLI counts it here: the answers, and the one that was not allowed.
    return limit.subtype === 'error_max_turns' ? { ...outcome, numTurns: this.#modelCalls + 1 } : outcome;
  }
}
