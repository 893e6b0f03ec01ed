import type { MessageParam, ToolUseBlock, UserContentBlock } from '../../protocol/wire/content.js';
import type { BackgroundTaskSummary } from '../../protocol/wire/hook-inputs.js';
import type { Lines } from '../conversation/lines.js';
import type { Hooks } from '../hooks/hook-runner.js';
import type { StructuredOutput } from '../tools/structured-output.js';
import type { AnswerDependencies } from './model-answer.js';
import type { ToolRunDependencies, ToolRunResult } from './tool-run.js';
import type { TurnLimits } from './turn-record.js';
import type { ModelSize, TurnUsage } from './usage.js';

/** What a turn needs from its conversation. */
export interface TurnDependencies extends ToolRunDependencies, AnswerDependencies {
  hooks: Hooks;
  lines: Lines;
  usage: TurnUsage;
  /**
   * Adds a message to the transcript; `lines` are the ids of the lines that showed it, `deferred` the calls whose results
   * in it only say that they were put off.
   */
  remember(message: MessageParam, lines?: readonly string[], deferred?: ToolUseBlock[]): void;
  structured: StructuredOutput | undefined;
  limits: TurnLimits;
  /** Many listeners will be added to this signal. */
  expectListeners(signal: AbortSignal): void;
  /** Resolves when the list of tools is up to date. */
  ready(): Promise<void>;
  /**
   * Before a request, or because one was too long. Resolves with the number of messages that were shown in the user's
   * name; undefined if nothing can be done about it.
   */
  makeRoom(signal: AbortSignal, isTooLong: boolean): Promise<number | undefined>;
  /** Of the model that was asked last. */
  modelSize(): Promise<ModelSize>;
  /** Messages that arrived while tools ran: the model reads them with the results. */
  takeQueued(): UserContentBlock[];
  backgroundTasks(): BackgroundTaskSummary[];
  /** Ends the subagents that calls were waiting for. Resolves when nothing is left of them. */
  endSubagents(): Promise<void>;
  noteDenial(result: ToolRunResult): void;
}
