/**
 * For any script of the model, any outcome of tools, any answer of hooks and of the host, and interrupts at any point:
 * the conversation stays whole, and everything that was begun ends, once (R69).
 */

import { expect, it } from 'vitest';
import {
  type CanUseTool,
  createSession,
  type HookCallback,
  type HookInput,
  type Options,
} from '../../src/index.js';
import type { AgentRuntime } from '../../src/options/agent-runtime.js';
import type { Frame } from '../../src/protocol/wire/frames.js';
import { embedded } from '../../src/runtime/index.js';
import { type PlainStep, scriptedModel } from '../../src/testing/index.js';
import fc from '../support/property.js';
import { call, expectWellFormed, server } from './support.js';

const TOOLS = ['ok', 'fails', 'throws', 'slow', 'okAlone', 'slowAlone', 'missing'] as const;

const step = fc.record(
  {
    text: fc.constant('Words.'),
    thinking: fc.constant('Hm.'),
    toolUses: fc.array(fc.constantFrom(...TOOLS), { maxLength: 4 }),
    fails: fc.boolean(),
    delayMs: fc.integer({ min: 0, max: 2 }),
  },
  { requiredKeys: [] },
);
const decision = fc.constantFrom('allow', 'always', 'never', 'mode', 'deny', 'stop', 'throw');
const hookAnswer = fc.constantFrom(
  ...(['none', 'none', 'allow', 'deny', 'ask', 'defer', 'approve', 'block', 'input', 'output'] as const),
  ...(['throw', 'end', 'context', 'slow', 'async', 'message'] as const),
);
const mode = fc.constantFrom('default', 'default', 'plan', 'acceptEdits', 'dontAsk', 'bypassPermissions');

const scenario = fc.record({
  steps: fc.array(step, { maxLength: 8 }),
  decisions: fc.array(decision, { minLength: 1, maxLength: 4 }),
  hooks: fc.array(hookAnswer, { minLength: 1, maxLength: 6 }),
  prompts: fc.integer({ min: 1, max: 3 }),
  /** After how many frames of the agent an interrupt is sent. */
  interrupts: fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 3 }),
  partial: fc.boolean(),
  mode,
  rules: fc.array(fc.constantFrom('mcp__s__ok', 'mcp__s', 'mcp__s__slow*', 'mcp__s__ok(x)'), {
    maxLength: 2,
  }),
  maxTurns: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer Value> ? Value : never;

/** Every answer in turn, from the beginning again when they are used up. */
function cycle<Value>(values: readonly Value[]): () => Value {
  let index = 0;
  return () => values[index++ % values.length] as Value;
}

/** What passes between host and agent. */
class Wire {
  readonly toHost: Frame[] = [];
  readonly toAgent: Frame[] = [];
  onFrame: () => void = () => {};

  around(runtime: AgentRuntime): AgentRuntime {
    return {
      open: (start) => {
        const inner = runtime.open(start);
        return {
          pid: undefined,
          start: (receiver) =>
            inner.start({
              frame: (frame, bytes) => {
                this.toHost.push(structuredClone(frame));
                receiver.frame(frame, bytes);
                this.onFrame();
              },
              noise: (line) => receiver.noise(line),
              dropped: (frame) => receiver.dropped?.(frame),
              stderr: (text) => receiver.stderr(text),
              end: (end) => receiver.end(end),
            }),
          send: (frame) => {
            this.toAgent.push(structuredClone(frame));
            return inner.send(frame);
          },
          drained: () => inner.drained(),
          endInput: () => inner.endInput(),
          pause: () => inner.pause(),
          resume: () => inner.resume(),
          stop: (graceMs) => inner.stop(graceMs),
        };
      },
    };
  }
}

async function answerHook(answer: string, input: HookInput, signal: AbortSignal): ReturnType<HookCallback> {
  const event = input.hook_event_name;
  const specific = (more: object) => ({ hookSpecificOutput: { hookEventName: event, ...more } as never });
  // A hook that never lets a turn end is for another test.
  if ('stop_hook_active' in input && input.stop_hook_active) return {};
  switch (answer) {
    case 'allow':
    case 'deny':
    case 'ask':
    case 'defer':
      return event === 'PreToolUse' ? specific({ permissionDecision: answer }) : {};
    case 'approve':
    case 'block':
      return { decision: answer, reason: 'Because.' };
    case 'input':
      return event === 'PreToolUse' ? specific({ updatedInput: { changed: true } }) : {};
    case 'output':
      return event === 'PostToolUse' ? specific({ updatedToolOutput: 'Changed.' }) : {};
    case 'throw':
      throw new Error('The hook is broken.');
    case 'end':
      return { continue: false };
    case 'context':
      return specific({ additionalContext: 'By the way.' });
    case 'slow':
      return pause(1, signal).then(() => ({}));
    case 'async':
      return { async: true };
    case 'message':
      return { systemMessage: 'Look.', suppressOutput: true };
    default:
      return {};
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function canUseTool(decisions: Scenario['decisions']): CanUseTool {
  const next = cycle(decisions);
  return async (toolName, input) => {
    const answer = next();
    if (answer === 'throw') throw new Error('The host is broken.');
    if (answer === 'deny') return { behavior: 'deny', message: 'No.' };
    if (answer === 'stop') return { behavior: 'deny', message: 'No, and stop.', interrupt: true };
    if (answer === 'allow') return { behavior: 'allow', updatedInput: input };
    const destination = 'session' as const;
    const rules = [{ toolName }];
    const updates = {
      always: { type: 'addRules', rules, behavior: 'allow', destination },
      never: { type: 'addRules', rules, behavior: 'deny', destination },
      mode: { type: 'setMode', mode: 'dontAsk', destination },
    } as const;
    return { behavior: 'allow', updatedInput: input, updatedPermissions: [updates[answer]] };
  };
}

function scriptOf(steps: Scenario['steps']): () => PlainStep {
  let index = 0;
  return () => {
    const { toolUses = [], fails = false, ...rest } = steps[index++] ?? { text: 'Done.' };
    if (fails) return { error: { message: 'Broken.', status: 500 } };
    const stopReason = toolUses.length === 0 ? 'end_turn' : 'tool_use';
    return { ...rest, toolUses: toolUses.map((name) => call(name)), stopReason };
  };
}

async function play(given: Scenario) {
  const { steps, decisions, hooks, prompts, interrupts, partial, maxTurns } = given;
  const model = scriptedModel(scriptOf(steps));
  const wire = new Wire();
  const open = new Set<number>();
  let started = 0;
  const handler =
    (work: (signal: AbortSignal) => unknown) =>
    async (_: unknown, { signal }: { signal: AbortSignal }) => {
      const id = started++;
      open.add(id);
      try {
        return await work(signal);
      } finally {
        open.delete(id);
      }
    };
  const s = server(
    {
      ok: handler(() => 'Fine.'),
      okAlone: handler(() => 'Fine.'),
      fails: handler(() => ({ content: [{ type: 'text', text: 'Failed.' }], isError: true })),
      throws: handler(() => {
        throw new Error('Thrown.');
      }),
      slow: handler((signal) => pause(2, signal)),
      slowAlone: handler((signal) => pause(2, signal)),
    },
    { readOnly: ['ok', 'fails', 'throws', 'slow'] },
  );
  const nextHook = cycle(hooks);
  const deferred = new Set<string>();
  const hook: HookCallback = (input, toolUseId, { signal }) => {
    const answer = nextHook();
    if (answer === 'defer' && toolUseId !== undefined) deferred.add(toolUseId);
    return answerHook(answer, input, signal);
  };
  const options: Options = {
    runtime: wire.around(embedded({ model })),
    mcpServers: { s },
    canUseTool: canUseTool(decisions),
    hooks: Object.fromEntries(
      [
        ...['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'Stop'],
        'SessionEnd',
      ].map((event) => [event, [{ hooks: [hook] }]]),
    ),
    permissionMode: given.mode,
    allowDangerouslySkipPermissions: true,
    allowedTools: given.rules,
    disallowedTools: given.rules.slice(1),
    includePartialMessages: partial,
    maxTurns,
  };
  const session = createSession(options);
  wire.onFrame = () => {
    if (interrupts.includes(wire.toHost.length)) session.query.interrupt().catch(() => {});
  };
  for (let prompt = 0; prompt < prompts; prompt += 1) await session.ask(`Prompt ${prompt}`);
  await session.close();
  return { model, wire, open, deferred };
}

function idsIn(frames: readonly Frame[], line: string, type: string, key: string): string[] {
  return frames
    .filter((frame) => frame.type === line)
    .flatMap((frame) => {
      const { content } = (frame as unknown as { message: { content: unknown } }).message;
      return Array.isArray(content)
        ? content.filter((block) => block.type === type).map((block) => block[key])
        : [];
    });
}

function answersIn(frames: readonly Frame[]): string[] {
  return frames.flatMap((frame) =>
    frame.type === 'control_response'
      ? [(frame as { response: { request_id: string } }).response.request_id]
      : [],
  );
}

const sum = (values: readonly string[]) => [...values].sort();

it('a conversation is whole, whatever happens in it', async () => {
  const seen = { interrupted: 0, calls: 0, deferred: 0 };
  await fc.assert(
    fc.asyncProperty(scenario, async (given) => {
      const { model, wire, open, deferred } = await play(given);
      for (const { messages } of model.requests) expectWellFormed(messages);

      // What the host saw: every call and its one result, whatever became of the turn; a call that was put off has none.
      const calls = idsIn(wire.toHost, 'assistant', 'tool_use', 'id');
      const results = idsIn(wire.toHost, 'user', 'tool_result', 'tool_use_id');
      const missing = calls.filter((id) => !results.includes(id));
      expect(missing.filter((id) => !deferred.has(id))).toEqual([]);
      expect(sum([...results, ...missing])).toEqual(sum(calls));
      seen.deferred += missing.length;
      expect(new Set(calls).size).toBe(calls.length);
      seen.calls += calls.length;

      // One result per prompt, after running and before idle.
      const marks = wire.toHost.flatMap((frame) => {
        const { type, subtype, state } = frame as { type: string; subtype?: string; state?: string };
        if (type === 'result') return ['result'];
        return subtype === 'session_state_changed' ? [String(state)] : [];
      });
      // While the host is asked, a turn is not running; what follows a question that was cut off is its result.
      const turns = marks.join(' ').replaceAll(/requires_action (running )?/g, '');
      const each = Array.from({ length: given.prompts }, () => 'running result idle');
      expect(turns).toBe(each.join(' '));
      seen.interrupted += JSON.stringify(wire.toHost).includes('"aborted_') ? 1 : 0;

      // Nobody is left at work, and nothing was answered twice.
      expect([...open]).toEqual([]);
      for (const answers of [answersIn(wire.toHost), answersIn(wire.toAgent)]) {
        expect(new Set(answers).size).toBe(answers.length);
      }
    }),
    { numRuns: Number(process.env.TENON_PROPERTY_RUNS ?? 150) },
  );
  // The scenarios do reach what they are about.
  expect(seen.calls).toBeGreaterThan(50);
  expect(seen.interrupted).toBeGreaterThan(5);
  expect(seen.deferred).toBeGreaterThan(0);
});
