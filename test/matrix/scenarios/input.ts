/** What the user says, when, and when the input ends. */
import { expect } from 'vitest';
import type { SDKUserMessage } from '../../../src/index.js';
import { apiError, delay, text, toolUse } from '../../../src/testing/index.js';
import { calc, results, serverWith, textResult } from '../support/calc.js';
import { says } from '../support/says.js';
import type { Context, Outcome, Scenario } from '../support/scenario.js';

const FIRST = '11111111-1111-4111-8111-111111111111';
const SECOND = '22222222-2222-4222-8222-222222222222';

const allowCalc = () => ({ allowedTools: ['mcp__calc__*'] });
const noted = (context: Context, name: string) => context.calls.waitFor((call) => call.name === name, name);
const nthResult = (context: Context, nth: number) =>
  context.messages.waitFor(({ type }) => type === 'result', `result ${nth}`, nth);

const answers = (outcome: Outcome) =>
  results(outcome).map((result) => (result.subtype === 'success' ? result.result : result.subtype));

type Messages = AsyncGenerator<SDKUserMessage>;

export const input: readonly Scenario[] = [
  {
    name: 'a stream of one message with a tool',
    cites: 's07-sdk-stream-one-then-end, pain 1, R18',
    script: [toolUse('mcp__calc__add', { a: 1, b: 2 }), text('Three.')],
    servers: calc,
    options: allowCalc,
    prompt: async function* (): Messages {
      yield says('go');
    },
    check: (outcome) => {
      expect(outcome.calls).toHaveLength(1);
      expect(answers(outcome)).toEqual(['Three.']);
    },
  },
  {
    name: 'a stream of two messages with ids',
    cites: 's07-queue-two-uuid, R19',
    script: [text('One.'), text('Two.')],
    prompt: async function* (): Messages {
      yield says('one', { uuid: FIRST });
      yield says('two', { uuid: SECOND });
    },
    unordered: ['messages'],
    check: (outcome) => expect(answers(outcome)).toEqual(['One.', 'Two.']),
  },
  {
    name: 'a message while a tool runs belongs to its turn',
    cites: 's07-queue-during-tool, s07-sdk-stream-two-with-tools, R19',
    script: [toolUse('mcp__calc__slow'), text('Both heard.')],
    servers: (context) =>
      serverWith(context, 'slow', async () => {
        const queued = (message: object) => JSON.stringify(message).includes(`"command_uuid":"${SECOND}"`);
        await context.messages.waitFor(queued, 'the CLI to have the second message');
        return textResult('done');
      }),
    options: allowCalc,
    prompt: async function* (context): Messages {
      yield says('one', { uuid: FIRST });
      await noted(context, 'slow');
      yield says('two during the tool', { uuid: SECOND });
    },
    unordered: ['messages'],
    check: (outcome) => {
      expect(answers(outcome)).toEqual(['Both heard.']);
      expect(JSON.stringify(outcome.requests[1]?.body.messages)).toContain('two during the tool');
    },
  },
  {
    name: 'a message while the model answers gets a turn of its own',
    cites: 's07-queue-during-model, R19',
    // Nobody can see from outside when the agent has read the second message, which is on its way by then.
    script: [delay(1_000, text('One.')), text('Two.')],
    prompt: async function* (context): Messages {
      yield says('one');
      await context.api.waitForRequest(0);
      yield says('two');
    },
    check: (outcome) => expect(answers(outcome)).toEqual(['One.', 'Two.']),
  },
  {
    name: 'a message after the result of another',
    cites: 's07-sdk-two-messages, R19',
    script: [text('One.'), toolUse('mcp__calc__add', { a: 1, b: 2 }), text('Three.')],
    servers: calc,
    options: allowCalc,
    prompt: async function* (context): Messages {
      yield says('one');
      await nthResult(context, 1);
      yield says('two');
    },
    check: (outcome) => expect(answers(outcome)).toEqual(['One.', 'Three.']),
  },
  {
    name: 'a message after a turn that failed',
    cites: 'R19, pain 57',
    env: { CLAUDE_CODE_MAX_RETRIES: '0' },
    script: [apiError(401, 'authentication_error', 'who are you?'), text('Welcome back.')],
    prompt: async function* (context): Messages {
      yield says('one');
      await nthResult(context, 1);
      yield says('two');
    },
    check: (outcome) => {
      expect(results(outcome)).toMatchObject([
        { is_error: true },
        { is_error: false, result: 'Welcome back.' },
      ]);
      expect(outcome.error).toBeUndefined();
    },
  },
  {
    name: 'a turn that fails after one that did not',
    cites: 'R19, pain 57',
    env: { CLAUDE_CODE_MAX_RETRIES: '0' },
    script: [text('Welcome.'), apiError(401, 'authentication_error', 'who are you?')],
    prompt: async function* (context): Messages {
      yield says('one');
      await nthResult(context, 1);
      yield says('two');
    },
    check: (outcome) => {
      expect(results(outcome)).toMatchObject([{ is_error: false }, { is_error: true }]);
      expect(outcome.error?.message).toContain('returned an error result');
    },
  },
  {
    name: 'a message that is not to be answered yet',
    cites: 's07-replay-and-noquery',
    script: [text('Noted, and answered.')],
    prompt: async function* (context): Messages {
      yield says('keep this in mind', { shouldQuery: false } as Partial<SDKUserMessage>);
      await nthResult(context, 1);
      yield says('now answer');
    },
    check: (outcome) => {
      expect(outcome.requests).toHaveLength(1);
      expect(JSON.stringify(outcome.requests[0]?.body.messages)).toContain('keep this in mind');
    },
  },
  {
    name: 'a stream without a message',
    cites: 'R18',
    script: [],
    prompt: async function* (): Messages {},
    check: (outcome) => {
      expect(outcome.requests).toEqual([]);
      expect(results(outcome)).toEqual([]);
    },
  },
  {
    name: 'a stream that throws',
    cites: 'R19, R20',
    script: () => text('Hello.'),
    prompt: async function* (context): Messages {
      yield says('go');
      await nthResult(context, 1);
      throw new Error('the microphone broke');
    },
    check: (outcome) => expect(results(outcome)).toHaveLength(1),
  },
  {
    name: 'a second stream of input while the first is open',
    cites: 'R19',
    script: [text('One.'), text('Two.')],
    prompt: async function* (context): Messages {
      yield says('one');
      await nthResult(context, 2);
    },
    drive: async (query, context) => {
      await nthResult(context, 1);
      const more = async function* (): Messages {
        yield says('two');
      };
      await query.streamInput(more());
    },
    check: (outcome) => expect(outcome.requests).toHaveLength(2),
  },
  {
    name: 'a message of several blocks',
    cites: 'protocol 5.1',
    script: [text('A dot.')],
    prompt: async function* (): Messages {
      const data =
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
      yield {
        type: 'user',
        message: {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
          ],
        },
        parent_tool_use_id: null,
      };
    },
    check: (outcome) => {
      expect(outcome.requests[0]?.lastUserText).toContain('What is this?');
      expect(JSON.stringify(outcome.requests[0]?.body.messages)).toContain('image/png');
    },
  },
];
