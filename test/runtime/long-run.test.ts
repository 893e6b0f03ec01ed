/** 2,000 turns in a window of 50,000 tokens: never too long, calls and results in pairs, the same beginning between boundaries (R44). */
import { describe, expect, it } from 'vitest';
import { createSession } from '../../src/index.js';
import type { MessageParam } from '../../src/protocol/wire/content.js';
import { ContextWindow } from '../../src/runtime/context/context-window.js';
import {
  embedded,
  type Model,
  ModelError,
  type ModelRequest,
  modelFromFunction,
  type RuntimeConfig,
} from '../../src/runtime/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import fc from '../support/property.js';
import { expectWellFormed, type Loose, server } from './support.js';

const WINDOW = 50_000;
const MAX_TOKENS = 4_000;

/** Counted otherwise than the runtime guesses: four bytes of the JSON are a token. */
const tokensOf = (request: Pick<ModelRequest, 'system' | 'messages' | 'tools'>): number =>
  Math.ceil(JSON.stringify([request.system, request.tools, request.messages]).length / 4);

/** The messages as text, without the marks for caching, which move. */
const textOf = ({ messages }: Pick<ModelRequest, 'messages'>): string[] =>
  messages.map((message) =>
    JSON.stringify(message, (key, value) => (key === 'cache_control' ? undefined : value)),
  );

const isForSummary = ({ messages }: Pick<ModelRequest, 'messages'>): boolean =>
  JSON.stringify(messages.at(-1)).includes('Answer with text only and call no tools');

interface Watched {
  model: Model;
  asked: number;
  /** Refusals of the API. */
  refused: number;
  summaries: number;
  /** How often a request did not begin with the one before it. */
  newBeginnings: number;
  longest: number;
}

/** A model with an API that counts, refuses what is too long, and looks at what it gets. */
function watched(inner: Pick<Model, 'stream'>, usage: 'counted' | 'none' = 'counted', every = 1): Watched {
  let before: string[] = [];
  const watch: Watched = {
    asked: 0,
    refused: 0,
    summaries: 0,
    newBeginnings: 0,
    longest: 0,
    model: {
      name: 'windowed',
      async *stream(request, context) {
        const tokens = tokensOf(request);
        watch.longest = Math.max(watch.longest, tokens);
        if (tokens + request.max_tokens > WINDOW) {
          watch.refused += 1;
          throw new ModelError('prompt is too long', { status: 400, type: 'invalid_request_error' });
        }
        if (watch.asked++ % every === 0) expectWellFormed(request.messages as never);
        if (isForSummary(request)) watch.summaries += 1;
        else {
          const now = textOf(request);
          if (!before.every((text, index) => text === now[index])) watch.newBeginnings += 1;
          before = now;
        }
        for await (const event of inner.stream(request, context)) {
          if (event.type === 'message_start') {
            yield {
              ...event,
              message: {
                ...event.message,
                usage: { ...event.message.usage, input_tokens: usage === 'counted' ? tokens : 0 },
              },
            };
          } else yield event;
        }
      },
    },
  };
  return watch;
}

const config = (watch: Watched, more: Partial<RuntimeConfig> = {}): RuntimeConfig => ({
  model: watch.model,
  maxTokens: MAX_TOKENS,
  context: { window: WINDOW },
  ...more,
});

const counted = (messages: readonly Loose[]) => ({
  boundaries: messages.filter(({ subtype }) => subtype === 'compact_boundary').length,
  clearings: messages.filter(({ tag }) => tag === 'tool_results_cleared').length,
});

it('what a request costs to count does not grow with the conversation', () => {
  const window = new ContextWindow(scriptedModel([]), { window: 100_000_000 }, true);
  let reads = 0;
  const messages: MessageParam[] = [];
  const say = (role: 'user' | 'assistant'): void => {
    const content = `Words ${messages.length}`;
    messages.push(
      Object.defineProperty({ role, content }, 'content', {
        enumerable: true,
        get: () => {
          reads += 1;
          return content;
        },
      }),
    );
  };
  const costs: number[] = [];
  for (let turn = 0; turn < 1000; turn += 1) {
    reads = 0;
    say('user');
    expect(window.isFull(messages, window.limitsFor('m', 1000))).toBe(false);
    window.asking(messages.length);
    say('assistant');
    const input_tokens = messages.length * 5;
    const counts = {
      input_tokens,
      output_tokens: 5,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    };
    window.answered(messages, counts);
    costs.push(reads);
  }
  expect(new Set(costs)).toEqual(new Set([2]));
});

describe('a long run', () => {
  it('of 2,000 turns is never refused, and has one boundary for each time the window fills', async () => {
    let turns = 0;
    const answering = modelFromFunction(async (request) =>
      isForSummary(request) ? '<summary>So far so good.</summary>' : `Answer. ${'tale '.repeat(60)}`,
    );
    const watch = watched(answering, 'counted', 25);
    await using session = createSession({ runtime: embedded(config(watch)) });
    const seen: Loose[] = [];
    for (; turns < 2000; turns += 1) {
      session.send(`Prompt ${turns}. ${'More words of the user. '.repeat(20)}`);
      let result: Loose | undefined;
      for await (const message of session.stream()) {
        if (message.type === 'system') seen.push(message as unknown as Loose);
        if (message.type === 'result') result = message as unknown as Loose;
      }
      expect(result).toMatchObject({ subtype: 'success', is_error: false });
    }
    const { boundaries } = counted(seen);
    expect(watch.refused).toBe(0);
    expect(boundaries).toBeGreaterThan(5);
    expect(watch.summaries).toBe(boundaries);
    expect(watch.newBeginnings).toBe(boundaries);
    // The room is used: it is not made too early.
    expect(watch.longest).toBeGreaterThan(WINDOW / 2);
  });

  it('property: with calls of all kinds, pairs stay together and only announced steps change the beginning', async () => {
    const step = fc.record({
      calls: fc.array(fc.integer({ min: 0, max: 60_000 }), { maxLength: 4 }),
      words: fc.integer({ min: 0, max: 800 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 40 }),
        fc.constantFrom('counted' as const, 'none' as const),
        async (steps, usage) => {
          let at = 0;
          const script = scriptedModel((request) => {
            if (isForSummary(request.body as never)) return '<summary>Sum.</summary>';
            const next = steps[at];
            at += 1;
            if (next === undefined) return 'Done.';
            return {
              text: `Step ${at} ${'talk '.repeat(next.words)}`,
              toolUses: next.calls.map((size) => ({ name: 'mcp__s__give', input: { size } })),
            };
          });
          const watch = watched(script, usage);
          const give = ({ size }: Record<string, unknown>) => 'data '.repeat(Number(size) / 5);
          await using session = createSession({
            runtime: embedded(config(watch)),
            mcpServers: { s: server({ give }) },
            allowedTools: ['mcp__s'],
          });
          const seen: Loose[] = [];
          while (at <= steps.length) {
            session.send('Go on.');
            for await (const message of session.stream()) seen.push(message as unknown as Loose);
          }
          const { boundaries, clearings } = counted(seen);
          expect(watch.refused).toBe(0);
          expect(watch.newBeginnings).toBeLessThanOrEqual(boundaries + clearings);
          expect(seen.filter(({ type, is_error }) => type === 'result' && is_error)).toEqual([]);
        },
      ),
      { numRuns: 25 },
    );
  });
});
