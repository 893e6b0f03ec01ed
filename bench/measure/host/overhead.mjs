// @ts-check
/** What the host itself costs, with everything in memory: the same turns as of queries that are read by hand. */
import { InMemorySessionStore, query } from 'tenon';
import { options } from '../runtime.mjs';
import { open, talking } from './hosted.mjs';
import { turnsTogether } from './together.mjs';

/** @type {Record<string, () => import('./together.mjs').Subject>} */
const SUBJECTS = {
  bare: bareQueries,
  resumed: resumingQueries,
  host: () => {
    const { host, calls } = open({});
    return { turn: talking(host), calls, close: () => host.close() };
  },
};

/**
 * @param {string} name
 * @param {{ conversations: number, number: number }} parameters
 */
export async function hostOverhead(name, parameters) {
  const subject = SUBJECTS[name]?.();
  if (subject === undefined) throw new Error(`There is no subject ${name}.`);
  const numbers = await turnsTogether(subject, parameters);
  await subject.close();
  return numbers;
}

/**
 * Each conversation is a query that stays open and is given one prompt after another. Its text is told as it is written, as that
 * of a host's conversation is.
 */
function bareQueries() {
  let calls = 0;
  const shared = options(() => {
    calls += 1;
  });
  const opened = () => {
    const prompts = outbox();
    const messages = query({
      prompt: prompts.taken(),
      options: { ...shared, includePartialMessages: true },
    });
    return { prompts, messages };
  };
  /** @type {Map<number, ReturnType<typeof opened>>} */
  const open = new Map();
  return {
    turn: async (/** @type {number} */ conversation) => {
      const talk = open.get(conversation) ?? opened();
      open.set(conversation, talk);
      talk.prompts.say('hi');
      for (;;) {
        const { value, done } = await talk.messages.next();
        if (done) throw new Error('The conversation has ended.');
        if (value.type !== 'result') continue;
        if (value.subtype !== 'success') throw new Error(`The turn failed: ${JSON.stringify(value)}`);
        return;
      }
    },
    calls: () => calls,
    close: async () => {
      for (const { messages } of open.values()) await messages.close();
    },
  };
}

/** As servers without a host do it: a query for each prompt, which resumes what a store has of the conversation. */
function resumingQueries() {
  let calls = 0;
  const shared = options(() => {
    calls += 1;
  });
  const sessionStore = new InMemorySessionStore();
  /** @type {Map<number, string>} */
  const sessions = new Map();
  return {
    turn: async (/** @type {number} */ conversation) => {
      const resume = sessions.get(conversation);
      const own = { ...shared, includePartialMessages: true, sessionStore, ...(resume && { resume }) };
      for await (const message of query({ prompt: 'hi', options: own })) {
        if (message.type !== 'result') continue;
        if (message.subtype !== 'success') throw new Error(`The turn failed: ${JSON.stringify(message)}`);
        sessions.set(conversation, message.session_id);
      }
    },
    calls: () => calls,
    close: async () => {},
  };
}

/** Prompts that are asked for before they are there. */
function outbox() {
  /** @type {import('tenon').SDKUserMessage[]} */
  const waiting = [];
  let wake = () => {};
  return {
    /** @param {string} content */
    say: (content) => {
      waiting.push({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null });
      wake();
    },
    taken: async function* () {
      for (;;) {
        yield* waiting.splice(0);
        if (waiting.length > 0) continue;
        await new Promise((resolve) => {
          wake = () => resolve(undefined);
        });
      }
    },
  };
}
