import type { ScriptedRequest } from './request.js';
import type { ScriptedBlock, Step } from './steps.js';

/** A short name for a step, for error messages. */
export function describeStep(step: Step): string {
  switch (step.kind) {
    case 'message':
      return step.blocks.map(describeBlock).join(' + ') || 'empty message';
    case 'error':
      return ['error', step.status, step.type].filter((part) => part !== undefined).join(' ');
    case 'delay':
      return `delay ${step.milliseconds} ms, then ${describeStep(step.step)}`;
    case 'stall':
      return `stall in ${describeStep(step.step)}`;
    default:
      return step.kind;
  }
}

/** A short name for a request, for error messages. */
export function describeRequest({ lastUserText, toolResults }: ScriptedRequest): string {
  const results = toolResults.map((result) => result.tool_use_id).join(', ');
  return `last user text ${quoted(lastUserText, 80)}${results === '' ? '' : `, results of ${results}`}`;
}

/** "1 step", "2 steps". */
export function count(number: number, noun: string): string {
  return number === 1 ? `1 ${noun}` : `${number} ${noun}s`;
}

function describeBlock(block: ScriptedBlock): string {
  if (block.type === 'tool_use') return `call of ${block.name}`;
  return `${block.type} ${quoted(block.type === 'text' ? block.text : block.thinking, 40)}`;
}

function quoted(text: string, maxLength: number): string {
  return JSON.stringify(text.length > maxLength ? `${text.slice(0, maxLength)}…` : text);
}
