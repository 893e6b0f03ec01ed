import { mismatch, onlyKeys, StepProblem, show } from './step-problem.js';
import {
  blocks,
  delay,
  type ErrorStep,
  type MessageStep,
  type ScriptedCall,
  type ScriptedUsage,
  type Step,
  text,
  thinking,
  toolUses,
} from './steps.js';

/** A step written as an object: what the model thinks, says and calls, in this order, or an error instead. */
export interface PlainStep {
  readonly thinking?: string | readonly string[] | undefined;
  readonly text?: string | readonly string[] | undefined;
  readonly toolUses?: readonly (ScriptedCall | ScriptedToolUse)[] | undefined;
  /** Instead of an answer. */
  readonly error?: { readonly message: string; readonly status?: number; readonly type?: string } | undefined;
  /** How long to wait before the answer, in milliseconds. */
  readonly delayMs?: number | undefined;
  readonly usage?: Partial<ScriptedUsage> | undefined;
  readonly stopReason?: string | undefined;
}

/** @deprecated Use `name` instead of `tool`: {@link ScriptedCall}. */
export interface ScriptedToolUse {
  readonly tool: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly id?: string;
}

const CONTENT = ['thinking', 'text', 'toolUses', 'usage', 'stopReason'] as const;
const KEYS = [...CONTENT, 'error', 'delayMs'];

/** The step that the object stands for; its values are not checked yet. */
export function fromPlainStep(fields: Readonly<Record<string, unknown>>): Step {
  if ('type' in fields) throw new StepProblem(`${show(fields)} is a block; wrap it in blocks([…])`);
  if ('name' in fields || 'tool' in fields) {
    throw new StepProblem(`${show(fields)} is a call; write toolUse('name', { … })`);
  }
  onlyKeys(fields, KEYS, 'a step');
  const plain = fields as PlainStep;
  const answer = plain.error === undefined ? messageFrom(plain) : errorFrom(plain);
  return plain.delayMs === undefined ? answer : delay(plain.delayMs, answer);
}

function messageFrom(plain: PlainStep): MessageStep {
  const { usage, stopReason, toolUses: calls = [] } = plain;
  if (!Array.isArray(calls)) throw mismatch('toolUses', 'an array of calls', calls);
  return blocks(
    [
      ...(plain.thinking === undefined ? [] : [thinking(plain.thinking)]),
      ...(plain.text === undefined ? [] : [text(plain.text)]),
      toolUses(calls.map(withName)),
    ],
    { ...(usage === undefined ? {} : { usage }), ...(stopReason === undefined ? {} : { stopReason }) },
  );
}

function errorFrom(plain: PlainStep): ErrorStep {
  const extra = CONTENT.find((key) => plain[key] !== undefined);
  if (extra !== undefined) {
    throw new StepProblem(`error and ${extra} are mutually exclusive; make them two steps`);
  }
  const { type = 'api_error', ...fields } = onlyKeys(plain.error, ['message', 'status', 'type'], 'error');
  return { kind: 'error', headers: {}, ...fields, type } as ErrorStep;
}

/** Accepts the former key `tool` in calls of plain steps. */
function withName(call: ScriptedCall | ScriptedToolUse): ScriptedCall {
  if (typeof call !== 'object' || call === null || !('tool' in call) || 'name' in call) {
    return call as ScriptedCall;
  }
  const { tool: name, ...rest } = call;
  return { name, ...rest };
}
