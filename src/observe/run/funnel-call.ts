import { beginningOfCut } from '../cut-frame.js';
import { broken, done, type Finding, ruleAgainst, waiting } from './funnel-offer.js';
import { offersOf } from './offers.js';
import type { Run } from './run.js';
import type { ToolCall } from './tool-calls.js';
import type { Subject } from './tool-subject.js';
import { counted, type Fields, fieldsOf, recordsOf, short, stringOf, textOf, timeText } from './values.js';

/*
 * What became of the calls of a tool. If one of them gave a result, all is well with the tool; otherwise the last one
 * tells what is wrong.
 */

const NO_SUCH_TOOL = /No such tool available/;
const INVALID_INPUT =
  /^(<tool_use_error>)?\s*(Invalid arguments for tool|InputValidationError|Input validation error)/i;
const TIMED_OUT = /timed out/i;
/** What both back ends write for the model when there is nothing. */
const NO_OUTPUT = /^\(.* completed with no output\)$/s;
const TOO_LONG = /^<persisted-output>|exceeds maximum allowed tokens/;

/** Whether the agent knew the tool that the model asked for. */
export function wasTaken(call: ToolCall): boolean {
  return !NO_SUCH_TOOL.test(textOf(call.content));
}

function hasWorked(call: ToolCall): boolean {
  return call.end !== undefined && !call.isError;
}

export function isEmpty({ content }: ToolCall): boolean {
  const text = textOf(content).trim();
  return text === '' || NO_OUTPUT.test(text);
}

/** The call that the steps below are about. */
export function tellingCall(calls: readonly ToolCall[]): ToolCall | undefined {
  return (
    calls.findLast((call) => hasWorked(call) && !isEmpty(call)) ?? calls.findLast(hasWorked) ?? calls.at(-1)
  );
}

export function requested(run: Run, subject: Subject, calls: readonly ToolCall[]): Finding {
  const [first] = calls;
  if (first !== undefined) {
    return done(`The model asked for it${calls.length === 1 ? '' : ` ${calls.length} times`}.`, first.frame);
  }
  const { byTool } = offersOf(run);
  const offered = byTool.get(subject.name)?.requests ?? run.models.all.length;
  const others = [...new Set(run.tools.all.map(({ name }) => name))];
  const called = others.length === 0 ? '' : ` It called ${others.slice(0, 5).join(', ')}.`;
  const said = lastAnswer(run);
  const answered = said === '' ? '' : ` It answered: "${short(said, 120)}"`;
  const { description } = subject;
  const now = description === undefined ? '' : ` (now: "${short(description, 80)}")`;
  return waiting(
    run,
    `The model could have called it in ${counted(offered, 'request')}, and did not.${called}${answered}`,
    `Say in its description when to use it${now}, or name it in the prompt: "Use ${subject.shortName} to …"`,
  );
}

function lastAnswer(run: Run): string {
  const { result } = fieldsOf(run.results.at(-1)?.fields);
  if (typeof result === 'string') return result;
  const frame = run.frames.findLast((line) => fieldsOf(line.frame).type === 'assistant');
  return textOf(fieldsOf(fieldsOf(frame?.frame).message).content);
}

export function permitted(run: Run, subject: Subject, call: ToolCall): Finding {
  const { name } = subject;
  const allow = `allowedTools: [${JSON.stringify(name)}]`;
  const hook = denyingHook(call);
  if (hook !== undefined) {
    return broken(
      `A ${hook.event} hook of the program denied it: "${short(hook.reason, 200)}"`,
      `Change the hook, or give it a \`matcher\` that leaves ${name} out.`,
      hook.frame,
    );
  }
  const question = call.asked.at(-1);
  const answer = fieldsOf(question?.answer);
  if (question?.outcome === 'open') {
    const since = timeText(run.duration - question.t);
    return waiting(
      run,
      `Somebody is asked for permission, and has not answered for ${since}.`,
      `Answer in \`canUseTool\`, or allow it: ${allow}`,
      question.frame,
    );
  }
  if (question?.outcome === 'cancelled') {
    return broken(
      'The agent withdrew its question: the turn was interrupted.',
      `Allow it: ${allow}`,
      question.frame,
    );
  }
  if (question?.outcome === 'error' || answer.behavior === 'deny') {
    const words = question?.error ?? stringOf(answer.message) ?? '';
    const who = question?.outcome === 'error' ? '`canUseTool` threw' : '`canUseTool` denied it';
    return broken(
      `${who}: "${short(words, 200)}"`,
      `Return { behavior: 'allow' } for it, or allow it without asking: ${allow}`,
      question?.lastFrame,
    );
  }
  return decided(run, subject, call, allow);
}

/** What the agent itself decided, without asking this program. */
function decided(run: Run, subject: Subject, call: ToolCall, allow: string): Finding {
  const decision = fieldsOf(call.meta.permission_decision);
  const isDenied = call.denied !== undefined || decision.decision === 'reject' || isInDenials(run, call);
  if (!isDenied) {
    return done(
      call.asked.length > 0 ? '`canUseTool` allowed it.' : 'Nobody objected to it.',
      call.asked.at(-1)?.lastFrame,
    );
  }
  const frame = call.lastFrame;
  const reason =
    stringOf(call.denied?.decision_reason_type) ?? stringOf(decision.reason_type) ?? decision.source;
  const words = stringOf(call.denied?.message) ?? textOf(call.content);
  if (reason === 'hook') {
    return broken(
      `A hook of the agent's settings denied it: "${short(words, 200)}"`,
      'Look for it in `hooks` of the settings, or leave those out: settingSources: []',
      frame,
    );
  }
  if (reason === 'rule') {
    const rule = ruleAgainst(run, subject) ?? 'A deny rule of the settings (`permissions.deny`)';
    return broken(`${rule} denies it.`, 'Take out that rule, or narrow it.', frame);
  }
  if (reason === 'mode') {
    const mode = stringOf(run.inits.at(-1)?.fields.permissionMode) ?? 'dontAsk';
    return broken(
      `Nobody is asked in the permission mode "${mode}", and no rule allows it.`,
      `Allow it: ${allow}`,
      frame,
    );
  }
  const asks = run.options.canUseTool !== undefined;
  return broken(
    asks
      ? `The agent denied it: "${short(words, 200)}"`
      : 'It needs a permission, and there is nobody to ask.',
    `Allow it: ${allow}${asks ? '' : ', or answer in `canUseTool`'}`,
    frame,
  );
}

function isInDenials(run: Run, call: ToolCall): boolean {
  return (
    call.isError &&
    call.handler === undefined &&
    run.results.some(({ fields }) =>
      recordsOf(fields.permission_denials).some(({ tool_use_id: id }) => id === call.id),
    )
  );
}

function denyingHook({
  hooks,
}: ToolCall): { event: string; reason: string; frame: number | undefined } | undefined {
  for (const { request, answer, lastFrame } of hooks) {
    const { decision, reason, stopReason, hookSpecificOutput } = fieldsOf(answer);
    const { permissionDecision, permissionDecisionReason } = fieldsOf(hookSpecificOutput);
    const event = stringOf(fieldsOf(request.input).hook_event_name) ?? 'PreToolUse';
    if (event !== 'PreToolUse' && event !== 'PermissionRequest') continue;
    if (permissionDecision !== 'deny' && decision !== 'block' && fieldsOf(answer).continue !== false)
      continue;
    const words = stringOf(permissionDecisionReason) ?? stringOf(reason) ?? stringOf(stopReason) ?? '';
    return { event, reason: words, frame: lastFrame };
  }
  return undefined;
}

export function ran(run: Run, call: ToolCall): Finding {
  const text = textOf(call.content);
  const { handler, withdrawn } = call;
  const took = timeText((handler?.end ?? call.end ?? run.duration) - (handler?.t ?? call.t));
  if (call.isError && INVALID_INPUT.test(text)) {
    return broken(
      `Its input was wrong, so it was not run: ${short(text.replace('<tool_use_error>', ''), 300)}`,
      'Describe each argument, with an example: .describe(\'the product, such as "hammer"\')',
      call.lastFrame,
    );
  }
  if (withdrawn !== undefined || (call.isError && TIMED_OUT.test(text) && handler?.end === undefined)) {
    const isLate = TIMED_OUT.test(`${withdrawn ?? ''} ${text}`);
    return broken(
      isLate
        ? `It had not answered after ${took}, and the agent gave up.`
        : `The agent withdrew the call: ${withdrawn}`,
      isLate ? "Make it faster, or give it more time: env: { MCP_TOOL_TIMEOUT: '600000' }" : 'Ask again.',
      call.lastFrame,
    );
  }
  if (call.end === undefined) {
    return waiting(
      run,
      run.isOver
        ? `It was still running after ${took}, when the run ended.`
        : `It has been running for ${took}.`,
      'Look in its handler for what it waits for: a promise that never settles, a request without a time limit.',
      handler?.frame ?? call.frame,
    );
  }
  const failure = handlerFailure(
    handler === undefined ? undefined : { answer: handler.answer, error: handler.error },
  );
  if (failure !== undefined) {
    return broken(
      `Its server answered with an error: ${short(failure, 300)}`,
      'Mend its handler.',
      handler?.lastFrame,
    );
  }
  return done(`It ran for ${took}.`, handler?.frame ?? call.frame);
}

function handlerFailure(
  handler: { answer: unknown; error: string | undefined } | undefined,
): string | undefined {
  if (handler?.error !== undefined) return handler.error;
  const { error } = fieldsOf(fieldsOf(handler?.answer).mcp_response);
  return error === undefined ? undefined : (stringOf(fieldsOf(error).message) ?? 'without words');
}

export function gaveResult(subject: Subject, call: ToolCall, calls: readonly ToolCall[]): Finding {
  const text = textOf(call.content);
  const frame = call.lastFrame;
  if (call.isError) {
    return broken(
      `It failed: its handler threw, or returned \`isError\`: "${short(text, 200)}"`,
      `Mend its handler; call it alone: tenon call tools.ts ${subject.shortName} ${argumentsOf(call.input)}`.trim(),
      frame,
    );
  }
  if (isEmpty(call)) {
    return broken(
      'Its result is empty: the model learns only that it has ended.',
      "Return what the model should know, also if there is nothing: return 'Nothing was found.'",
      frame,
    );
  }
  const failed = calls.filter((each) => each.isError).length;
  const others = failed === 0 ? '' : ` ${failed} of ${counted(calls.length, 'call')} failed.`;
  if (beginningOfCut(text) !== undefined) {
    return done(`The model got a long result, of which the tape has only the beginning.${others}`, frame);
  }
  if (TOO_LONG.test(text)) {
    return done(`The result was too long: the model got only its beginning.${others}`, frame);
  }
  return done(`The model got ${counted(text.length, 'character')}.${others}`, frame);
}

function argumentsOf(input: unknown): string {
  return Object.entries(fieldsOf(input) as Fields)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
}
