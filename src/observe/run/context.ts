import { shownBlocks } from './messages.js';
import type { ModelCall } from './model-calls.js';
import { priceOf } from './prices.js';
import type { Run } from './run.js';
import { modelSpanId } from './spans.js';
import { type Fields, recordsOf, stringOf } from './values.js';
import type { ModelRequest, RequestContext } from './views.js';

/** Every request to a model, in the order in which they were made. */
export function requestsOf(run: Run): readonly ModelRequest[] {
  return run.view(makeRequests);
}

function makeRequests(run: Run): readonly ModelRequest[] {
  const price = priceOf(run);
  return run.view(sortCalls).map((call, index) => ({
    index,
    span: modelSpanId(call),
    model: call.model ?? 'unknown',
    start: call.start,
    end: call.end,
    parent: call.parent,
    usage: call.usage,
    costUsd: price(call),
    error: call.error,
    hasContext: call.request !== undefined,
  }));
}

function sortCalls({ models }: Run): readonly ModelCall[] {
  return models.all.toSorted((left, right) => left.start - right.start);
}

/** What the model saw in one request; undefined where the tape does not have it. */
export function contextOf(run: Run, index: number): RequestContext | undefined {
  const calls = run.view(sortCalls);
  const call = calls[index];
  const request = requestsOf(run)[index];
  if (call?.request === undefined || request === undefined) return undefined;
  const before = calls
    .slice(0, index)
    .findLast((each) => each.request !== undefined && each.parent === call.parent);
  const body = call.request;
  const messages = recordsOf(body.messages);
  const earlier = recordsOf(before?.request?.messages).map(comparable);
  return {
    request,
    system: systemOf(body),
    tools: toolsOf(body),
    messages: messages.map((message, place) => ({
      role: stringOf(message.role) ?? 'unknown',
      blocks: shownBlocks(message.content, (id) => run.tools.get(id)?.name),
      isNew: earlier[place] !== comparable(message),
    })),
    changes: before?.request === undefined ? [] : changesOf(before.request, body),
  };
}

/** The parts of the system prompt: one text, or several. */
export function systemOf({ system }: Fields): readonly string[] {
  if (typeof system === 'string') return system === '' ? [] : [system];
  return recordsOf(system).map(({ text }) => stringOf(text) ?? '');
}

function toolsOf({ tools }: Fields): RequestContext['tools'] {
  return recordsOf(tools).map((tool) => ({
    name: stringOf(tool.name) ?? 'unknown',
    description: stringOf(tool.description) ?? '',
    schema: tool.input_schema,
  }));
}

/** Marks for caches wander with every request, and change nothing for the model. */
function comparable(value: unknown): string {
  return JSON.stringify(value, (name, item) => (name === 'cache_control' ? undefined : item)) ?? '';
}

function changesOf(before: Fields, now: Fields): string[] {
  const changes: string[] = [];
  if (comparable(before.model) !== comparable(now.model)) {
    changes.push(`model: ${stringOf(before.model) ?? '?'} → ${stringOf(now.model) ?? '?'}`);
  }
  const [oldSystem, newSystem] = [systemOf(before), systemOf(now)];
  for (let part = 0; part < Math.max(oldSystem.length, newSystem.length); part += 1) {
    if (oldSystem[part] === newSystem[part]) continue;
    const what =
      oldSystem[part] === undefined ? 'is new' : newSystem[part] === undefined ? 'is gone' : 'changed';
    changes.push(`system[${part}] ${what}`);
  }
  return [...changes, ...toolChanges(before, now), ...messageChanges(before, now)];
}

function toolChanges(before: Fields, now: Fields): string[] {
  const known = new Map(toolsOf(before).map((tool) => [tool.name, comparable(tool)]));
  const changes: string[] = [];
  for (const tool of toolsOf(now)) {
    const earlier = known.get(tool.name);
    known.delete(tool.name);
    if (earlier === undefined) changes.push(`tools: + ${tool.name}`);
    else if (earlier !== comparable(tool)) changes.push(`tools: ${tool.name} changed`);
  }
  return [...changes, ...[...known.keys()].map((name) => `tools: − ${name}`)];
}

function messageChanges(before: Fields, now: Fields): string[] {
  const [old, current] = [
    recordsOf(before.messages).map(comparable),
    recordsOf(now.messages).map(comparable),
  ];
  const same = old.findIndex((message, place) => message !== current[place]);
  const kept = same === -1 ? old.length : same;
  const changes: string[] = [];
  if (kept < old.length) changes.push(`messages: ${old.length - kept} of ${old.length} replaced`);
  if (current.length > kept) changes.push(`messages: ${current.length - kept} new`);
  return changes;
}
