import { OptionError } from '../protocol/base/errors.js';
import { isRecord } from '../protocol/base/kinds.js';
import type { PermissionResult } from '../protocol/permissions/permissions.js';
import type { ElicitationResult } from '../protocol/wire/host-callbacks.js';
import type { HostAnswer, HostQuestion } from './host-messages.js';

const ACTIONS: readonly string[] = ['accept', 'decline', 'cancel'];

/** Refuses an answer that does not fit its question: the first one counts, and a wrong one could not be taken back. */
export function checkAnswer(kind: HostQuestion['kind'], answer: unknown): asserts answer is HostAnswer {
  const isGood =
    isRecord(answer) &&
    (kind === 'elicitation'
      ? isElicitation(answer)
      : isPermission(answer) || (kind === 'question' && isAnswers(answer.answers)));
  if (isGood) return;
  const wanted = {
    permission: "{ behavior: 'allow' } or { behavior: 'deny', message }",
    question:
      "{ answers: { [question]: answer } }, { behavior: 'allow', updatedInput } or { behavior: 'deny', message }",
    elicitation: "{ action: 'accept', content }, { action: 'decline' } or { action: 'cancel' }",
  }[kind];
  const shown = JSON.stringify(answer)?.slice(0, 200) ?? String(answer);
  throw new OptionError('answer', answer, `The answer to this ${kind} must be ${wanted}, not ${shown}.`);
}

function isPermission(answer: Record<string, unknown>): boolean {
  if (answer.behavior === 'deny') return typeof answer.message === 'string';
  if (answer.behavior !== 'allow') return false;
  const { updatedInput, updatedPermissions } = answer;
  return (
    (updatedInput == null || isRecord(updatedInput)) &&
    (updatedPermissions == null || Array.isArray(updatedPermissions))
  );
}

function isAnswers(answers: unknown): answers is Record<string, string> {
  return isRecord(answers) && Object.values(answers).every((answer) => typeof answer === 'string');
}

function isElicitation({ action, content }: Record<string, unknown>): boolean {
  return ACTIONS.includes(String(action)) && (content == null || isRecord(content));
}

const UNREADABLE = 'The stored answer does not fit the question, so the call was not made.';

/** What the agent is told. Whatever it is not sure of is denied. */
export function permissionResult(answer: HostAnswer, input: Record<string, unknown>): PermissionResult {
  if ('answers' in answer && isAnswers(answer.answers)) {
    return { behavior: 'allow', updatedInput: { ...input, answers: answer.answers } };
  }
  if (!isRecord(answer) || !isPermission(answer)) return { behavior: 'deny', message: UNREADABLE };
  const decided = answer as unknown as PermissionResult;
  if (decided.behavior === 'deny') return decided;
  return { ...decided, updatedInput: decided.updatedInput ?? input };
}

export function elicitationResult(answer: HostAnswer): ElicitationResult {
  return isElicitation(answer as unknown as Record<string, unknown>)
    ? (answer as ElicitationResult)
    : { action: 'cancel' };
}
