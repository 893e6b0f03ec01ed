import type { CommandHook } from '../../config/settings/hook-settings.js';
import { messageOf } from '../../protocol/base/errors.js';
import { isRecord } from '../../protocol/base/kinds.js';
import { matchesCall, parseRule, type SpecifierChecks } from '../../protocol/permissions/permission-rules.js';
import { hookAnswer } from '../../protocol/wire/hook-answers.js';
import { matchesHook } from '../../protocol/wire/hook-matcher.js';
import type { HookEvent, HookJSONOutput } from '../../protocol/wire/hooks.js';
import { specifierChecks } from '../permissions/specifier-checks.js';
import type { CommandOutcome, CommandRun, RunCommand } from './command-port.js';
import type { HookCall } from './hook-call.js';

type Surroundings = Pick<CommandRun, 'cwd' | 'env'>;

/** A failure that decides nothing: any exit code but 0 and 2. */
export class HookComplaint extends Error {}

/**
 * The hooks from the settings. Each is a program that reads the event on stdin and answers by exit code or
 * JSON.
 */
export class CommandHooks {
  readonly #hooks: readonly CommandHook[];
  readonly #run: RunCommand | undefined;
  readonly #surroundings: Surroundings;
  readonly #ending = new AbortController();
  readonly #running = new Set<Promise<unknown>>();

  constructor(hooks: readonly CommandHook[], run: RunCommand | undefined, { cwd, env }: Surroundings) {
    this.#hooks = hooks;
    this.#run = run;
    this.#surroundings = { cwd, env };
  }

  async matching(call: HookCall): Promise<CommandHook[]> {
    const meant = this.#hooks.filter(
      (hook) => hook.event === call.event && matchesHook(hook.matcher, call.subject),
    );
    if (meant.every(({ condition }) => condition === undefined)) return meant;
    const checks = call.subject === undefined ? {} : await specifierChecks(call.subject);
    return meant.filter((hook) => meetsCondition(hook, call, checks));
  }

  /**
   * Rejects if the command cannot be run, was ended by the signal, or gives an invalid answer. `ended` is called
   * before, with how it went.
   */
  async call(
    hook: CommandHook,
    input: object,
    signal: AbortSignal,
    ended?: (outcome: CommandOutcome) => void,
  ): Promise<HookJSONOutput> {
    if (this.#run === undefined) throw new Error('there are no processes here');
    const closing = this.#ending.signal;
    const running = this.#run(hook.command, {
      ...this.#surroundings,
      input: `${JSON.stringify(input)}\n`,
      // An asynchronous hook may outlive the call, but not the conversation.
      signal: hook.isAsync ? closing : AbortSignal.any([signal, closing]),
    });
    const settled = running.catch(() => {}).finally(() => this.#running.delete(settled));
    this.#running.add(settled);
    if (hook.isAsync) return {};
    const outcome = await running;
    ended?.(outcome);
    return answerOf(hook, outcome);
  }

  /** Ends all running commands; resolves when no process is left. */
  async close(): Promise<void> {
    this.#ending.abort();
    await Promise.all(this.#running);
  }
}

/** `if` is a permission rule and only applies to events of tools. */
function meetsCondition(
  { condition }: CommandHook,
  { subject, fields }: HookCall,
  checks: SpecifierChecks,
): boolean {
  if (condition === undefined) return true;
  if (subject === undefined || !('tool_input' in fields) || !isRecord(fields.tool_input)) return false;
  const tool = { name: subject, server: fields.mcp_server };
  return matchesCall(parseRule(condition), tool, 'deny', fields.tool_input, checks);
}

/** Events for which plain text on stdout is context for the model. */
const CONTEXT_EVENTS: readonly HookEvent[] = ['SessionStart', 'UserPromptSubmit'];

/** The exit codes of a shell that cannot run the command. */
const NOT_RUN = [126, 127];

/** 0: stdout counts; 2: denied, with the reason on stderr; anything else decides nothing. */
function answerOf(hook: CommandHook, { code, stdout, stderr }: CommandOutcome): HookJSONOutput {
  const { command, event } = hook;
  const complaint = stderr.trim() === '' ? `exit code ${code}` : stderr.trim();
  if (code === null || NOT_RUN.includes(code)) throw new Error(`[${command}] could not be run: ${complaint}`);
  if (code === 2) return { decision: 'block', reason: `[${command}]: ${complaint}` };
  if (code !== 0) throw new HookComplaint(`[${command}]: ${complaint}`);
  const text = stdout.trim();
  if (text.startsWith('{')) return outputOf(hook, text);
  if (text === '' || !CONTEXT_EVENTS.includes(event)) return {};
  return { hookSpecificOutput: { hookEventName: event, additionalContext: text } } as HookJSONOutput;
}

/** An answer that nobody understands must not be treated as none. */
function outputOf({ command, event }: CommandHook, text: string): HookJSONOutput {
  let output: unknown;
  try {
    output = JSON.parse(text);
  } catch (error) {
    throw new Error(`the output of [${command}] is not valid JSON: ${messageOf(error)}`);
  }
  try {
    return hookAnswer(event, output);
  } catch (error) {
    throw new Error(`the output of [${command}] cannot be used: ${messageOf(error)}`);
  }
}
