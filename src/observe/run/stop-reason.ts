import type { Run } from './run.js';
import {
  counted,
  type Fields,
  fieldsOf,
  numberOf,
  recordsOf,
  short,
  stringOf,
  stringsOf,
  timeText,
} from './values.js';
import type { StopReason } from './views.js';

/** How the watched program ended, where somebody has started it and knows. */
export interface ProgramEnd {
  readonly state: 'running' | 'ended';
  readonly code?: number | null | undefined;
  readonly signal?: string | null | undefined;
}

/** Reasons for which a turn ends although all is well. */
const WELL: ReadonlySet<unknown> = new Set([
  'end_turn',
  'completed',
  'stop_sequence',
  'tool_use',
  null,
  undefined,
]);
const STDERR_LINES = 5;

/** Why the run stopped, or what it waits for. */
export function stopReasonOf(run: Run, program?: ProgramEnd): StopReason {
  const open = openRequests(run);
  const details = [...resultDetails(run), ...open, ...stderrLines(run)];
  const ended = endTitle(run, program, open.length);
  if (ended !== undefined) return { ...ended, details: [...details, ...cutDetails(run)] };
  const { open: turn } = run.turns;
  if (turn === undefined) {
    const last = lastResult(run);
    if (last !== undefined) return { ...last, details };
    return { state: 'waiting', title: 'Waiting for the first prompt', details };
  }
  const asked = run.controls.open.find(
    ({ subtype, direction }) => direction === '<' && subtype === 'can_use_tool',
  );
  if (asked !== undefined) {
    return { state: 'waiting', title: `Waiting for a permission: ${nameOf(asked.request)}`, details };
  }
  return { state: 'running', title: open.length === 0 ? 'Running' : `Running: ${open[0] ?? ''}`, details };
}

type Title = Pick<StopReason, 'state' | 'title'>;

/** Undefined while it runs. */
function endTitle(run: Run, program: ProgramEnd | undefined, open: number): Title | undefined {
  const whileOpen =
    open === 0 ? '' : ` while ${counted(open, 'request')} ${open === 1 ? 'was' : 'were'} open`;
  const { end } = run;
  const killed = program?.signal ?? undefined;
  const hasEnded = program?.state === 'ended';
  if (end === undefined || end.agent === null) {
    if (killed !== undefined)
      return { state: 'stopped', title: `The program was killed (${killed})${whileOpen}` };
    const code = numberOf(end?.program) ?? (hasEnded ? program.code : undefined);
    const result = lastResult(run);
    if (code !== undefined && code !== null) {
      if (code === 0 && result !== undefined && run.turns.open === undefined) return result;
      const how = code === 0 ? 'The program ended' : `The program ended with exit code ${code}`;
      return { state: code === 0 ? 'stopped' : 'failed', title: `${how}${whileOpen}` };
    }
    if (!run.isOver && !hasEnded) return undefined;
    return {
      state: 'stopped',
      title: `The recording ends in the middle: the program was killed, or still runs${whileOpen}`,
    };
  }
  return agentTitle(run, whileOpen);
}

function agentTitle(run: Run, whileOpen: string): Title {
  const { code, signal, error } = fieldsOf(run.end?.agent);
  const name = run.head.agent;
  const result = lastResult(run);
  if (typeof signal === 'string') {
    const isStopped = result?.state === 'finished' && run.turns.open === undefined;
    return isStopped ? result : { state: 'failed', title: `${name} was killed (${signal})${whileOpen}` };
  }
  if (result !== undefined && run.turns.open === undefined && (code === 0 || result.state !== 'finished'))
    return result;
  const why = stringOf(error);
  if (code === 0 || code === null) {
    if (why === undefined && run.turns.all.length === 0)
      return { state: 'finished', title: 'Nothing was asked' };
    return {
      state: why === undefined ? 'stopped' : 'failed',
      title: `${name} ended${why === undefined ? ` without a result${whileOpen}` : `: ${short(why, 200)}`}`,
    };
  }
  return {
    state: 'failed',
    title: `${name} ended with exit code ${numberOf(code) ?? 'unknown'}${whileOpen}`,
  };
}

/** The last turn that has come to its end. */
function lastResult(run: Run): Title | undefined {
  const result = run.results.at(-1)?.fields;
  if (result === undefined) return undefined;
  const reason =
    stringOf(result.terminal_reason) ?? stringOf(result.stop_reason) ?? stringOf(result.subtype) ?? 'result';
  const stop = stringOf(result.stop_reason);
  if (result.is_error !== true && WELL.has(result.terminal_reason)) {
    return { state: 'finished', title: `Finished: ${stop ?? reason}` };
  }
  if (isInterrupted(result)) return { state: 'stopped', title: 'Interrupted' };
  const state = result.is_error === true ? 'failed' : 'stopped';
  return {
    state,
    title: `${state === 'failed' ? 'Failed' : 'Stopped'}: ${short(failureText(result) || reason, 200)}`,
  };
}

function isInterrupted({ terminal_reason: reason }: Fields): boolean {
  return typeof reason === 'string' && reason.startsWith('aborted');
}

function failureText(result: Fields): string {
  const { message } = fieldsOf(result.failure);
  const subtype = stringOf(result.subtype);
  const words = stringOf(message) ?? stringsOf(result.errors).join('; ');
  if (words !== '') return words;
  return subtype === undefined || subtype === 'success' ? (stringOf(result.result) ?? '') : subtype;
}

function resultDetails(run: Run): string[] {
  const result = fieldsOf(run.results.at(-1)?.fields);
  const details: string[] = [];
  if (result.is_error === true) {
    const status = typeof result.api_error_status === 'number' ? ` (HTTP ${result.api_error_status})` : '';
    details.push(`${stringOf(result.subtype) ?? 'error'}${status}: ${short(failureText(result), 300)}`);
  }
  for (const denial of recordsOf(result.permission_denials)) {
    details.push(
      `denied: ${stringOf(denial.tool_name) ?? 'a tool'} ${short(JSON.stringify(denial.tool_input) ?? '', 100)}`,
    );
  }
  return details;
}

/** Everything that somebody still waits for, by name and age. */
function openRequests(run: Run): string[] {
  const now = run.duration;
  const handlers = new Set(run.tools.open.flatMap(({ handler }) => handler ?? []));
  const open = [
    ...run.tools.open.map(({ name, t }) => ({ what: `tool ${name}`, t })),
    ...run.models.all
      .filter(({ end }) => end === undefined)
      .map(({ model, start }) => ({ what: `model ${model ?? ''}`.trim(), t: start })),
    ...run.controls.open
      .filter((control) => !handlers.has(control))
      .map(({ subtype, request, t }) => ({ what: `${subtype} ${nameOf(request)}`.trim(), t })),
  ];
  return open
    .sort((left, right) => left.t - right.t)
    .map(({ what, t }) => `open: ${what}, for ${timeText(now - t)}`);
}

function nameOf(request: Fields): string {
  const { method, params } = fieldsOf(request.message);
  const hook = fieldsOf(request.input).hook_event_name;
  return [request.tool_name, request.server_name, method, fieldsOf(params).name, hook]
    .flatMap((part) => stringOf(part) ?? [])
    .join(' ');
}

function stderrLines(run: Run): string[] {
  const lines = run.stderr.split('\n').filter((line) => line.trim() !== '');
  return lines.slice(-STDERR_LINES).map((line) => `stderr: ${short(line, 200)}`);
}

function cutDetails(run: Run): string[] {
  const cut = stringOf(run.end?.cut);
  return cut === undefined ? [] : [`not everything is recorded: ${cut}`];
}
