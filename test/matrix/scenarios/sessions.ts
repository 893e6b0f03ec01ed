/** Conversations that are kept, taken up again, and copied. */
import { expect } from 'vitest';
import type { Options } from '../../../src/index.js';
import { text } from '../../../src/testing/index.js';
import { results } from '../support/calc.js';
import type { Context, Outcome, Scenario } from '../support/scenario.js';

const KNOWN = '44444444-4444-4444-8444-444444444444';
const UNKNOWN = 'cccccccc-1111-4111-8111-111111111111';

/** A first conversation, then a second one with these options. */
function again(
  name: string,
  cites: string,
  options: (context: Context) => Options,
  check: (outcome: Outcome, remembers: boolean) => void,
  more: Partial<Scenario> = {},
): Scenario {
  return {
    name,
    cites,
    script: [text('I am Bob.'), text('Still Bob.')],
    earlier: { prompt: 'My name is Ada. Who are you?', options: () => ({ sessionId: KNOWN }) },
    prompt: 'Who am I?',
    options,
    check: (outcome) => {
      const said = JSON.stringify(outcome.requests.at(-1)?.body.messages);
      check(outcome, said.includes('My name is Ada'));
    },
    ...more,
  };
}

const sessionOf = (outcome: Outcome) => results(outcome)[0]?.session_id;

function fails(outcome: Outcome, words: string): void {
  expect(outcome.exit.code).toBe(1);
  expect(outcome.error).toBeDefined();
  const said = [outcome.stderr, outcome.error?.message, JSON.stringify(outcome.messages)];
  expect(said.join(' ')).toContain(words);
}

export const sessions: readonly Scenario[] = [
  again(
    'a conversation is resumed',
    's11-resume, pain 28',
    ({ earlierSession }) => ({ resume: earlierSession }),
    (outcome, remembers) => {
      expect(remembers).toBe(true);
      expect(sessionOf(outcome)).toBe(KNOWN);
    },
  ),
  again(
    'the latest conversation is continued',
    's11-continue, pain 28',
    () => ({ continue: true }),
    (outcome, remembers) => {
      expect(remembers).toBe(true);
      expect(sessionOf(outcome)).toBe(KNOWN);
    },
  ),
  again(
    'a conversation is forked',
    's11-fork, pain 28',
    ({ earlierSession }) => ({ resume: earlierSession, forkSession: true }),
    (outcome, remembers) => {
      expect(remembers).toBe(true);
      expect(sessionOf(outcome)).not.toBe(KNOWN);
    },
  ),
  again(
    'a conversation is resumed and told again',
    's11-replay',
    ({ earlierSession }) => ({ resume: earlierSession, extraArgs: { 'replay-user-messages': null } }),
    (outcome, remembers) => {
      expect(remembers).toBe(true);
      expect(outcome.messages.filter((message) => message.type === 'user')).toMatchObject([
        { isReplay: true },
      ]);
    },
  ),
  again(
    'an id that is in use',
    's11-session-id-in-use, pain 5',
    ({ earlierSession }) => ({ sessionId: earlierSession }),
    (outcome) => fails(outcome, 'already in use'),
    { script: [text('I am Bob.')] },
  ),
  again(
    'a conversation that was not kept',
    's11-no-persist, s11-resume-not-persisted',
    ({ earlierSession }) => ({ resume: earlierSession }),
    (outcome) => fails(outcome, 'No conversation found'),
    {
      script: [text('I am Bob.')],
      earlier: { prompt: 'Forget this.', options: () => ({ persistSession: false }) },
    },
  ),
  {
    name: 'an id of our own',
    cites: 's11-session-id, pain 28',
    script: [text('Hello.')],
    options: () => ({ sessionId: KNOWN }),
    check: (outcome) => expect(sessionOf(outcome)).toBe(KNOWN),
  },
  {
    name: 'an id that is none',
    cites: 's11-session-id-invalid, pain 5',
    script: [],
    options: () => ({ sessionId: 'xyz' }),
    check: (outcome) => fails(outcome, 'Invalid session ID'),
  },
  {
    name: 'a conversation that does not exist',
    cites: 's11-resume-unknown, pain 5',
    script: [],
    options: () => ({ resume: UNKNOWN }),
    check: (outcome) => fails(outcome, 'No conversation found'),
  },
];
