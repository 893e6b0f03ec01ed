/** What happens when a conversation is to become shorter. */
import { expect } from 'vitest';
import type { HookInput, HookJSONOutput, Options, SDKUserMessage } from '../../../src/index.js';
import { apiError, type Script, type ScriptedRequest, text, toolUse } from '../../../src/testing/index.js';
import { calc, results } from '../support/calc.js';
import { says } from '../support/says.js';
import type { Context, Outcome, Scenario } from '../support/scenario.js';

/** Both agents ask for a summary in these words. */
const isForSummary = (message: unknown) => /text only/i.test(JSON.stringify(message));

const SUMMARY = 'They spoke of plums.';
/** Longer than what either agent keeps word for word. */
const LONG = `two ${'plums '.repeat(16_000)}`;
/** Nearly all of a window of 200,000 tokens. */
const NEARLY_FULL = { usage: { input_tokens: 170_000 } };
/** Nearly all of the window of a million tokens. */
const FULL = { usage: { input_tokens: 990_000 } };
const TOO_LONG = 'prompt is too long: 1000100 tokens > 1000000 maximum';

/** A summary where one is asked for, and otherwise what the function says. */
const summarizing =
  (answer: Exclude<Script, readonly unknown[]>): Script =>
  (request, index) =>
    isForSummary(request.messages.at(-1)) ? text(`<summary>${SUMMARY}</summary>`) : answer(request, index);

const answering = summarizing((_, index) => text(`Answer ${index}.`));

/** Each one after the result of the one before. */
const prompts = (...texts: readonly string[]) =>
  async function* ({ messages }: Context): AsyncGenerator<SDKUserMessage> {
    for (const [index, prompt] of texts.entries()) {
      yield says(prompt);
      await messages.waitFor(({ type }) => type === 'result', `result ${index + 1}`, index + 1);
    }
  };

/** Notes the calls that a compaction makes. */
function hooks({ note }: Context, before: HookJSONOutput = {}): Options['hooks'] {
  const hook = async (input: HookInput) => {
    if (input.hook_event_name !== 'SessionStart' || input.source === 'compact')
      note(input.hook_event_name, input);
    return input.hook_event_name === 'PreCompact' ? before : {};
  };
  const entry = [{ hooks: [hook] }];
  return { PreCompact: entry, SessionStart: entry, PostCompact: entry };
}

const CALLED = ['PreCompact', 'SessionStart', 'PostCompact'];
const called = ({ calls }: Outcome) => calls.map(({ name }) => name).filter((name) => name !== 'add');
const lastRequest = ({ requests }: Outcome) => JSON.stringify(requests.at(-1)?.body.messages);
const lastMessages = ({ requests }: Outcome) =>
  (requests.at(-1) as ScriptedRequest).messages.filter(({ role }) => role !== ('system' as string));

/** The lines of a compaction that the agent began by itself. */
function expectAutomatic(outcome: Outcome): void {
  expect(called(outcome)).toEqual(CALLED);
  const lines = outcome.messages.filter(
    (message) =>
      (message.type === 'system' && /^(status|compact_boundary)$/.test(message.subtype)) ||
      (message.type === 'user' && message.isSynthetic),
  );
  expect(lines).toMatchObject([
    { status: 'compacting' },
    { status: null, compact_result: 'success' },
    { compact_metadata: { trigger: 'auto' } },
    { isSynthetic: true },
  ]);
  expect(lastRequest(outcome)).toContain(SUMMARY);
  expect(lastRequest(outcome)).not.toContain('plums plums');
}

export const context: readonly Scenario[] = [
  {
    name: 'a conversation that is compacted on demand',
    cites: 's17-compact-manual, R44',
    script: answering,
    prompt: prompts('one plum', '/compact keep the fruit', 'what now?'),
    options: (context) => ({ tools: [], hooks: hooks(context) }),
    check: (outcome) => {
      expect(called(outcome)).toEqual(CALLED);
      expect(results(outcome)).toMatchObject([
        { num_turns: 1 },
        { num_turns: 0, result: '' },
        { num_turns: 1 },
      ]);
      const asked = outcome.requests.find(({ messages }) => isForSummary(messages.at(-1)));
      expect(JSON.stringify(asked?.messages)).toContain('keep the fruit');
      expect(lastRequest(outcome)).toContain(SUMMARY);
      expect(lastRequest(outcome)).not.toContain('one plum');
    },
  },
  {
    name: 'a longer conversation keeps its last answer when it is compacted on demand',
    cites: 's17-compact-manual, R44',
    script: answering,
    prompt: prompts('one plum', 'two plums', 'three plums', '/compact', 'what now?'),
    options: (context) => ({ tools: [], hooks: hooks(context) }),
    check: (outcome) => {
      expect(called(outcome)).toEqual(CALLED);
      expect(lastMessages(outcome).map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
      expect(lastRequest(outcome)).toContain('Answer 2.');
      expect(lastRequest(outcome)).not.toContain('Answer 1.');
    },
  },
  {
    name: 'a hook prevents a compaction on demand',
    cites: 's17-compact-manual, R44',
    script: answering,
    prompt: prompts('one plum', 'two plums', '/compact', 'what now?'),
    options: (context) => ({
      tools: [],
      hooks: hooks(context, { decision: 'block', reason: 'not now' }),
    }),
    check: (outcome) => {
      expect(called(outcome)).toEqual(['PreCompact']);
      expect(results(outcome).at(-2)).toMatchObject({ is_error: false, num_turns: 0 });
      expect(lastRequest(outcome)).toContain('one plum');
    },
  },
  {
    name: 'a conversation that compacts itself when its window is full',
    cites: 's17-compact-auto, R44',
    script: summarizing((_, index) => text(`Answer ${index}.`, index === 1 ? FULL : {})),
    prompt: prompts('one plum', LONG, 'what now?'),
    options: (context) => ({ tools: [], hooks: hooks(context) }),
    check: (outcome) => {
      expectAutomatic(outcome);
      expect(results(outcome).map(({ num_turns }) => num_turns)).toEqual([1, 1, 2]);
    },
  },
  {
    name: 'a conversation that compacts itself between a tool and the next request',
    cites: 's17-compact-auto, R44',
    script: summarizing((_, index) =>
      index === 1 ? toolUse('mcp__calc__add', { a: 15, b: 27 }, FULL) : text(`Answer ${index}.`),
    ),
    servers: calc,
    prompt: prompts('one plum', LONG),
    options: (context) => ({ tools: [], allowedTools: ['mcp__calc'], hooks: hooks(context) }),
    check: (outcome) => {
      expectAutomatic(outcome);
      expect(lastRequest(outcome)).toContain('tool_result');
      expect(results(outcome).at(-1)).toMatchObject({ num_turns: 3, result: 'Answer 3.' });
    },
  },
  {
    name: 'a short conversation compacts itself in a window that the environment makes small',
    cites: 's17-compact-auto, builtin-tools 6, R44',
    script: summarizing((_, index) => text(`Answer ${index}.`, index === 2 ? NEARLY_FULL : {})),
    env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '200000' },
    prompt: prompts('one plum', 'two plums', 'three plums', 'what now?'),
    options: (context) => ({ tools: [], hooks: hooks(context) }),
    processOnly: 'The embedded runtime keeps more than the last answer.',
    check: (outcome) => {
      expectAutomatic(outcome);
      expect(lastRequest(outcome)).toContain('Answer 2.');
      for (const words of ['two plums', 'Answer 1.', 'three plums'])
        expect(lastRequest(outcome)).not.toContain(words);
    },
  },
  {
    name: 'a conversation that must not compact itself, by the environment',
    cites: 'builtin-tools 6, R44',
    script: (_, index) => text(`Answer ${index}.`, index === 0 ? NEARLY_FULL : {}),
    env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '200000', DISABLE_AUTO_COMPACT: '1' },
    prompt: prompts('one plum', 'what now?'),
    options: () => ({ tools: [] }),
    check: (outcome) => expect(lastRequest(outcome)).toContain('one plum'),
  },
  {
    name: 'a summary that the model does not give is no failed turn',
    cites: 'builtin-tools 6, R44',
    script: (request) =>
      isForSummary(request.messages.at(-1))
        ? apiError(400, 'invalid_request_error', 'No plums today.')
        : text('Plums.'),
    prompt: prompts('one plum', '/compact', 'what now?'),
    options: (context) => ({ tools: [], hooks: hooks(context) }),
    // The CLI asks several times, each time with fewer features.
    ignore: ['model'],
    check: (outcome) => {
      const [, compacted, next] = results(outcome);
      expect(compacted).toMatchObject({ is_error: false, num_turns: 0, local_command: 'compact' });
      expect((compacted as { result?: string }).result).toContain('No plums today.');
      expect(next).toMatchObject({ is_error: false });
      expect(outcome.messages).toContainEqual(
        expect.objectContaining({ status: null, compact_result: 'failed' }),
      );
    },
  },
  {
    name: 'a request that is too long whatever is done',
    cites: 's17-compact-too-long, builtin-tools 6, R44',
    script: () => apiError(400, 'invalid_request_error', TOO_LONG),
    prompt: 'one plum',
    options: () => ({ tools: [] }),
    check: (outcome) =>
      expect(results(outcome)).toMatchObject([{ is_error: true, terminal_reason: 'prompt_too_long' }]),
  },
  {
    name: 'a request that is too long is sent again after a compaction',
    cites: 's17-compact-too-long, R44',
    script: summarizing((_, index) =>
      index === 2 ? apiError(400, 'invalid_request_error', TOO_LONG) : text(`Answer ${index}.`),
    ),
    // Of what was refused, about a fifth is kept, so that the rest can be read once more.
    prompt: prompts('one plum', LONG, `what ${'now '.repeat(6_000)}`),
    options: (context) => ({ tools: [], hooks: hooks(context) }),
    check: (outcome) => {
      expectAutomatic(outcome);
      expect(results(outcome).at(-1)).toMatchObject({ is_error: false, num_turns: 2, result: 'Answer 4.' });
    },
  },
  {
    name: 'a conversation is resumed after its compaction',
    cites: 's17-compact-manual, s11-resume, R44',
    script: answering,
    earlier: {
      prompt: ['one plum', 'two plums', '/compact', 'three plums'],
      options: () => ({ tools: [] }),
    },
    prompt: 'what now?',
    options: ({ earlierSession }) => ({ tools: [], resume: earlierSession }),
    check: (outcome) => {
      for (const words of [SUMMARY, 'Answer 1.', 'three plums'])
        expect(lastRequest(outcome)).toContain(words);
      expect(lastRequest(outcome)).not.toContain('one plum');
    },
  },
  {
    name: 'a conversation is resumed at a message from before its compaction',
    cites: 's17-compact-manual, R44',
    script: answering,
    earlier: {
      prompt: ['one plum', 'two plums', '/compact', 'three plums'],
      options: () => ({ tools: [] }),
    },
    prompt: 'what now?',
    options: ({ earlierSession, earlierMessages }) => ({
      tools: [],
      resume: earlierSession,
      resumeSessionAt: String(earlierMessages.find(({ type }) => type === 'assistant')?.uuid),
    }),
    check: (outcome) => {
      expect(outcome.requests).toHaveLength(4);
      expect(results(outcome)).toMatchObject([{ errors: [expect.stringContaining('No message found')] }]);
    },
  },
];
