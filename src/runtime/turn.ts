import type { MessageParam, ToolUseBlock, UserContentBlock } from '../protocol/content.js';
import { messageOf } from '../protocol/errors.js';
import { untilAborted } from './abortable.js';
import { type AssistantMessage, AssistantStream } from './assistant-stream.js';
import type { HookRunner } from './hook-runner.js';
import type { Lines } from './lines.js';
import { ModelError } from './model.js';
import { type AnswerDependencies, readAnswer } from './model-answer.js';
import { showResults } from './tool-results.js';
import { runTool, type ToolRunDependencies, type ToolRunResult } from './tool-run.js';
import { ToolSchedule } from './tool-schedule.js';
import type { StructuredOutput } from './tools/structured-output.js';
import { errorKindOf, type TurnOutcome } from './turn-outcome.js';
import type { UsageLedger } from './usage.js';

export interface TurnDependencies extends ToolRunDependencies, AnswerDependencies {
  hooks: HookRunner;
  lines: Lines;
  usage: UsageLedger;
  /** Adds to what was said so far; `lines` are the ids of those that showed it. */
  remember(message: MessageParam, lines?: readonly string[]): void;
  structured: StructuredOutput | undefined;
  maxTurns: number | undefined;
  maxBudgetUsd: number | undefined;
  /** Resolves when the list of tools is up to date. */
  ready(): Promise<void>;
  /** Messages that came while tools ran: the model reads them with the results. */
  takeQueued(): UserContentBlock[];
  noteDenial(result: ToolRunResult): void;
}

const MAX_STRUCTURED_TRIES = 5;

/** From a prompt to the end of the answer: model, tools, model, until nothing is asked for any more. */
export class Turn {
  readonly #with: TurnDependencies;
  readonly #signal: AbortSignal;
  #modelCalls = 0;
  /** Results and words that were said to the model in the user's name: `num_turns` counts them. */
  #userLines = 0;
  #stopHookActive = false;
  #structuredReminders = 0;
  #lastText = '';
  /** Ids of the lines of the answer, and then of its results, that are being put together. */
  #shown: string[] = [];
  #stopReason: string | null = null;

  constructor(dependencies: TurnDependencies, signal: AbortSignal) {
    this.#with = dependencies;
    this.#signal = signal;
  }

  async run(): Promise<TurnOutcome> {
    for (;;) {
      const step = await this.#step();
      if (step !== undefined) return step;
    }
  }

  /** One request to the model and what it asks for; undefined: go on. */
  async #step(): Promise<TurnOutcome | undefined> {
    const schedule = new ToolSchedule<ToolRunResult>();
    const stream = new AssistantStream();
    const tools = new AbortController();
    const toolSignal = AbortSignal.any([this.#signal, tools.signal]);
    try {
      this.#modelCalls += 1;
      await this.#ask(stream, (block) => this.#begin(block, schedule, toolSignal, () => tools.abort()));
    } catch (error) {
      tools.abort();
      return this.#brokenOff(this.#takeAnswer(stream.message), await schedule.results(), error);
    }
    const { message } = stream;
    this.#stopReason = message.stopReason;
    const asked = this.#takeAnswer(message);
    if (asked.length === 0) return this.#answered(message);
    return this.#resultsIn(asked, await schedule.results());
  }

  /** What the answer asks for. An answer without words or calls is not remembered: the model's API refuses it. */
  #takeAnswer(message: AssistantMessage): ToolUseBlock[] {
    if (message.id !== '') this.#with.usage.add(message.model, message.usage);
    const lines = this.#takeShown();
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
      return this.#signal.aborted ? this.#interruptedWhileStreaming() : this.#modelFailed(error);
    }
    const { blocks } = this.#resultBlocks(asked, settled);
    if (this.#signal.aborted) return this.#interrupted(blocks);
    this.#with.remember({ role: 'user', content: blocks }, this.#takeShown());
    return this.#modelFailed(error);
  }

  #takeShown(): string[] {
    const shown = this.#shown;
    this.#shown = [];
    return shown;
  }

  async #ask(stream: AssistantStream, begin: (block: ToolUseBlock) => void): Promise<void> {
    await untilAborted(this.#with.ready(), this.#signal);
    await readAnswer(stream, this.#with, this.#modelCalls === 1, this.#signal, (block, line) => {
      this.#shown.push(line);
      if (block.type === 'text') this.#lastText = block.text;
      if (block.type === 'tool_use') begin(block);
    });
  }

  /** While the answer still streams. */
  #begin(
    block: ToolUseBlock,
    schedule: ToolSchedule<ToolRunResult>,
    signal: AbortSignal,
    cancelTools: () => void,
  ): void {
    const isReadOnly = this.#with.find(block.name)?.isReadOnly ?? true;
    schedule
      .add(isReadOnly, async () => {
        signal.throwIfAborted();
        const run = await runTool(block, this.#with, signal);
        // Who says "no, and stop" does not want the calls behind it either.
        if (run.stop?.kind === 'interrupt') cancelTools();
        return run;
      })
      .catch(() => {});
  }

  #resultsIn(asked: ToolUseBlock[], settled: PromiseSettledResult<ToolRunResult>[]): TurnOutcome | undefined {
    const { blocks, stop } = this.#resultBlocks(asked, settled);
    if (this.#signal.aborted || stop?.kind === 'interrupt') return this.#interrupted(blocks);
    const end = stop?.kind === 'hook' ? this.#finished('', 'hook_stopped') : this.#limitReached();
    // When the turn ends here nobody would answer what waits: it stays for a turn of its own.
    if (end === undefined) blocks.push(...this.#with.takeQueued());
    this.#with.remember({ role: 'user', content: blocks }, this.#takeShown());
    return end;
  }

  #resultBlocks(
    asked: ToolUseBlock[],
    settled: PromiseSettledResult<ToolRunResult>[],
  ): { blocks: UserContentBlock[]; stop: ToolRunResult['stop'] } {
    const { lines, noteDenial } = this.#with;
    const { blocks, stop, shown } = showResults(asked, settled, lines, noteDenial);
    this.#userLines += asked.length;
    this.#shown.push(...shown);
    return { blocks, stop };
  }

  #limitReached(): TurnOutcome | undefined {
    const { structured, maxTurns, maxBudgetUsd, usage } = this.#with;
    if (structured?.isGiven) return this.#finished(JSON.stringify(structured.value), 'completed');
    if (structured !== undefined && structured.failures >= MAX_STRUCTURED_TRIES) return this.#noStructure();
    if (maxBudgetUsd !== undefined && usage.totalCostUsd() >= maxBudgetUsd) {
      const text = `Reached maximum budget ($${maxBudgetUsd})`;
      return this.#failed('error_max_budget_usd', 'budget_exhausted', text);
    }
    if (maxTurns !== undefined && this.#modelCalls >= maxTurns) {
      return this.#failed('error_max_turns', 'max_turns', `Reached maximum number of turns (${maxTurns})`);
    }
    return undefined;
  }

  /** The model asks for nothing more: is that really the end? */
  async #answered(message: AssistantMessage): Promise<TurnOutcome | undefined> {
    const { structured, remember, hooks, lines } = this.#with;
    if (structured !== undefined && !structured.isGiven) {
      this.#structuredReminders += 1;
      if (this.#structuredReminders >= MAX_STRUCTURED_TRIES) return this.#noStructure();
      remember({ role: 'user', content: `Give the answer by calling ${structured.tool.name}.` });
      return this.#limitReached();
    }
    const fields = {
      stop_hook_active: this.#stopHookActive,
      last_assistant_message: this.#lastText,
      background_tasks: [],
      session_crons: [],
    };
    const verdict = await hooks.run({ event: 'Stop', fields, signal: this.#signal });
    if (this.#signal.aborted) return this.#interruptedWhileStreaming();
    if (verdict.block !== undefined && verdict.stop === undefined) {
      const content = [{ type: 'text' as const, text: `Stop hook feedback:\n${verdict.block}` }];
      remember({ role: 'user', content }, [lines.user(content, { isSynthetic: true })]);
      this.#userLines += 1;
      this.#stopHookActive = true;
      return this.#limitReached();
    }
    const text = message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    return this.#finished(text, verdict.stop === undefined ? 'completed' : 'hook_stopped');
  }

  #modelFailed(error: unknown): TurnOutcome {
    const { status, type } = error instanceof ModelError ? error : {};
    const text = status === undefined ? messageOf(error) : `API Error: ${status} ${messageOf(error)}`;
    const stopReason = this.#with.lines.synthetic(text, {
      error: errorKindOf(status),
      is_api_error_message: true,
      api_error_status: status ?? null,
      ...(type === undefined ? {} : { api_error_type: type }),
    });
    const outcome = this.#finished(text, 'api_error');
    return { ...outcome, isError: true, stopReason, apiErrorStatus: status, apiErrorType: type };
  }

  #interrupted(blocks: UserContentBlock[]): TurnOutcome {
    const content = [{ type: 'text' as const, text: '[Request interrupted by user for tool use]' }];
    this.#shown.push(this.#with.lines.user(content));
    this.#userLines += 1;
    this.#with.remember({ role: 'user', content: [...blocks, ...content] }, this.#takeShown());
    return this.#failed('error_during_execution', 'aborted_tools', 'The turn was interrupted.');
  }

  #interruptedWhileStreaming(): TurnOutcome {
    const content = [{ type: 'text' as const, text: '[Request interrupted by user]' }];
    this.#with.remember({ role: 'user', content }, [this.#with.lines.user(content)]);
    this.#userLines += 1;
    return this.#failed('error_during_execution', 'aborted_streaming', 'The turn was interrupted.');
  }

  #noStructure(): TurnOutcome {
    return this.#failed(
      'error_max_structured_output_retries',
      'structured_output_retry_exhausted',
      `No answer fitted the schema in ${MAX_STRUCTURED_TRIES} tries.`,
    );
  }

  #finished(text: string, terminalReason: string): TurnOutcome {
    return { ...this.#base(), subtype: 'success', isError: false, terminalReason, text };
  }

  #failed(subtype: string, terminalReason: string, text: string): TurnOutcome {
    return { ...this.#base(), subtype, isError: true, terminalReason, text };
  }

  #base(): Pick<TurnOutcome, 'stopReason' | 'numTurns'> {
    return { stopReason: this.#stopReason, numTurns: this.#userLines + 1 };
  }
}
