import { firstDifference } from '../../observe/first-difference.js';
import { isRecord } from '../../protocol/base/kinds.js';
import { fromPlainStep, type PlainStep } from './plain-step.js';
import { mismatch, onlyKeys, StepProblem, show } from './step-problem.js';
import { type ErrorStep, type MessageStep, type Step, text } from './steps.js';

/** A step as written in a script: a string, an object of its parts, or the value of `text()` and the like. */
export type ScriptStep = string | PlainStep | Step;

/** The step in its normal form. Throws a {@link StepProblem} if it cannot be played. */
export function normaliseStep(value: unknown): Step {
  if (typeof value === 'string') return normaliseStep(text(value));
  if (!isRecord(value)) {
    throw new StepProblem(
      `${show(value)} is not a step; write text('…'), toolUse('name', { … }) or the like`,
    );
  }
  if (!('kind' in value)) return normaliseStep(fromPlainStep(value));
  const step = value as unknown as Step;
  switch (step.kind) {
    case 'message':
      checkMessage(step);
      return step;
    case 'error':
      checkError(step);
      return step;
    case 'delay':
      checkMilliseconds(step.milliseconds, 'delay');
      return { ...step, step: normaliseStep(step.step) };
    case 'stall':
      return { ...step, step: normaliseStalled(step.step) };
    case 'hang':
    case 'disconnect':
      return step;
    default:
      throw new StepProblem(
        `unknown kind ${show(value.kind)}; the kinds are message, error, delay, stall, hang and disconnect`,
      );
  }
}

function normaliseStalled(value: unknown): MessageStep {
  const step = normaliseStep(value);
  if (step.kind === 'message') return step;
  throw mismatch('what stalls', "a message such as text('…') or toolUse('name', { … })", value);
}

function checkMessage({ blocks, stopReason, usage }: MessageStep): void {
  if (!Array.isArray(blocks)) throw mismatch('blocks', 'an array', blocks);
  for (const [index, block] of blocks.entries()) checkBlock(block, `block ${index + 1}`);
  if (stopReason !== undefined) checkString(stopReason, 'stopReason');
  else if (blocks.length === 0) {
    throw new StepProblem(
      "the message has no content; for a model that says nothing write blocks([], { stopReason: 'end_turn' })",
    );
  }
  if (usage !== undefined) checkUsage(usage);
}

const CHUNKING = ['chunks', 'chunkDelayMs'];
const BLOCK_KEYS: Readonly<Record<string, readonly string[]>> = {
  text: ['type', 'text', ...CHUNKING],
  thinking: ['type', 'thinking', 'signature', ...CHUNKING],
  tool_use: ['type', 'name', 'input', 'id', ...CHUNKING],
};

function checkBlock(value: unknown, place: string): void {
  const keys = isRecord(value) && typeof value.type === 'string' ? BLOCK_KEYS[value.type] : undefined;
  if (keys === undefined) throw mismatch(place, 'of type text, thinking or tool_use', value);
  const block = value as Record<string, unknown>;
  if (block.type === 'tool_use') checkCall(block, place);
  onlyKeys(block, keys, place);
  if (block.type === 'text') checkString(block.text, `${place}: text`);
  if (block.type === 'thinking') {
    checkString(block.thinking, `${place}: thinking`, 'may be empty');
    checkString(block.signature, `${place}: signature`, 'may be empty');
  }
  checkChunks(block, place);
}

function checkCall({ name, tool, input, id }: Record<string, unknown>, place: string): void {
  if (tool !== undefined) {
    const given = name === undefined ? `, not { tool: ${show(tool)} }` : ' and leave out tool';
    throw new StepProblem(
      `${place}: a call names its tool with "name": write { name: ${show(name ?? tool)} }${given}`,
    );
  }
  checkString(name, `${place}: name`);
  if (!isRecord(input) || !isJson(input))
    throw mismatch(`${place}: input`, 'an object of JSON values', input);
  if (id !== undefined) checkString(id, `${place}: id`);
}

function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}

function checkChunks(block: Readonly<Record<string, unknown>>, place: string): void {
  const { chunks, chunkDelayMs } = block;
  if (chunkDelayMs !== undefined) checkMilliseconds(chunkDelayMs, `${place}: chunkDelayMs`);
  if (chunks === undefined) return;
  if (!Array.isArray(chunks)) {
    if (Number.isInteger(chunks) && (chunks as number) > 0) return;
    throw mismatch(`${place}: chunks`, 'a whole number of at least 1 or an array of strings', chunks);
  }
  for (const [index, chunk] of chunks.entries())
    checkString(chunk, `${place}: chunks[${index}]`, 'may be empty');
  const whole = chunks.join('');
  if (block.type === 'tool_use') checkInputChunks(whole, block.input, place);
  else if (whole !== (block.text ?? block.thinking)) {
    const wanted = show(block.text ?? block.thinking);
    throw new StepProblem(`${place}: the chunks add up to ${show(whole)}, not to ${wanted}`);
  }
}

function checkInputChunks(json: string, input: unknown, place: string): void {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    throw new StepProblem(`${place}: the chunks add up to ${show(json)}, which is not JSON`);
  }
  if (firstDifference(JSON.parse(JSON.stringify(input)), parsed) !== undefined) {
    throw new StepProblem(`${place}: the chunks add up to ${show(parsed)}, not to the input ${show(input)}`);
  }
}

const USAGE_KEYS = [
  'input_tokens',
  'output_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
];

function checkUsage(usage: unknown): void {
  for (const [key, value] of Object.entries(onlyKeys(usage, USAGE_KEYS, 'usage'))) {
    if (value === undefined || (Number.isInteger(value) && (value as number) >= 0)) continue;
    throw mismatch(`usage.${key}`, 'a whole number of at least 0', value);
  }
}

function checkError({ status, type, message, headers }: ErrorStep): void {
  if (status !== undefined && !(Number.isInteger(status) && status >= 400 && status <= 599)) {
    throw mismatch('status', 'an HTTP error status from 400 to 599', status);
  }
  checkString(type, 'type');
  checkString(message, 'message', 'may be empty');
  if (!isRecord(headers)) throw mismatch('headers', 'an object', headers);
  for (const [name, value] of Object.entries(headers)) checkString(value, `headers.${name}`, 'may be empty');
}

function checkMilliseconds(value: unknown, owner: string): void {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return;
  throw mismatch(owner, 'a non-negative number of milliseconds', value);
}

function checkString(value: unknown, owner: string, extent?: 'may be empty'): void {
  if (typeof value === 'string' && (extent === 'may be empty' || value !== '')) return;
  throw mismatch(owner, extent === 'may be empty' ? 'a string' : 'a non-empty string', value);
}
