// What the scripted model says. It understands a few kinds of prompts, by their words, and says so when it is asked anything
// else. It remembers nothing: like a real model it is given the whole conversation each time, so it goes on after a restart.

import { randomUUID } from 'node:crypto';
import { blocks, delay, text, toolUse } from 'tenon/testing';
import { INTRODUCTION, STORY } from './rehearsal-texts.mjs';
import { readTurn } from './rehearsal-turn.mjs';

/**
 * @typedef {import('./rehearsal-turn.mjs').Turn} Turn
 * @typedef {string | { say: string, call: string, input?: Record<string, unknown> }} Reply
 */

/**
 * The next answer, word by word.
 *
 * @param {import('tenon/testing').ScriptedRequest} request
 * @param {{ paceMs: number }} options how long each word takes
 * @returns {import('tenon/testing').Step}
 */
export function rehearse({ messages }, { paceMs }) {
  const reply = replyTo(readTurn(messages));
  const slowly = (/** @type {string} */ words) =>
    text(words, { chunks: words.match(/\S+\s*/g) ?? [words], chunkDelayMs: paceMs });
  if (typeof reply === 'string') return delay(paceMs * 4, slowly(reply));
  const { say, call, input = {} } = reply;
  // An id of its own: numbers would begin again when the program does.
  return delay(paceMs * 4, blocks([slowly(say), toolUse(call, input, { id: `toolu_${randomUUID()}` })]));
}

/** Who replies to what; the first that fits. @type {readonly [RegExp, (turn: Turn) => Reply][]} */
const KINDS = [
  [/\b(my orders|have i ordered|what did i order)\b/i, orders],
  [/\b(order|buy)\b/i, order],
  [/\b(gift|present|recommend|choose|which one)\b/i, choose],
  [/\b(story|history|long|explain)\b/i, () => STORY],
  [/\b(have|stock|price|cost|much|find|show|sell|need|looking)\b/i, find],
  [/^\W*(hi|hello|hey|good (morning|evening)|who are you|help)\b/i, () => INTRODUCTION],
];

/** @param {Turn} turn @returns {Reply} */
function replyTo(turn) {
  const [, reply = otherwise] = KINDS.find(([words]) => words.test(turn.prompt)) ?? [];
  return reply(turn);
}

/** @param {Turn} turn @returns {Reply} */
function find({ prompt, calls }) {
  const found = calls[0];
  if (found === undefined)
    return { say: 'Let me look.', call: 'mcp__shop__find_product', input: { words: prompt } };
  const products = productsIn(found.result);
  if (products.length === 0)
    return 'I am sorry, we have **nothing like that**. Ask me for hammers, for example.';
  const lines = products.map(({ id, words }) => `- ${words} (\`${id}\`)`);
  return `We have:\n\n${lines.join('\n')}\n\nShall I order something for you?`;
}

/** @param {Turn} turn @returns {Reply} */
function order({ prompt, calls }) {
  const [found, placed] = calls;
  if (found === undefined)
    return {
      say: 'Let me see whether we have that.',
      call: 'mcp__shop__find_product',
      input: { words: prompt },
    };
  const [product] = productsIn(found.result);
  if (product === undefined) return 'I have found nothing like that, so I have **not ordered** anything.';
  if (placed === undefined) {
    const quantity = numberIn(prompt);
    return {
      say: `We have it. I will order ${quantity} of it as soon as you agree.`,
      call: 'mcp__shop__order',
      input: { product: product.id, quantity },
    };
  }
  if (placed.result.includes('outcome is unknown'))
    return 'I was cut off, and **cannot tell** whether it was ordered. Ask me *What have I ordered?* to find out.';
  if (placed.isError)
    return `Then I have **not ordered** anything. What I was told:\n\n> ${oneLine(placed.result)}`;
  return `**Done.** ${placed.result}`;
}

/** @param {Turn} turn @returns {Reply} */
function orders({ calls }) {
  const list = calls[0];
  if (list === undefined) return { say: 'I will look it up.', call: 'mcp__shop__list_orders' };
  return list.result.startsWith('Order')
    ? `You have ordered:\n\n${list.result.replace(/^/gm, '- ')}`
    : 'You have not ordered anything yet.';
}

/** @param {Turn} turn @returns {Reply} */
function choose({ calls }) {
  const [asked, found] = calls;
  if (asked === undefined)
    return { say: 'Gladly. Two questions first.', call: 'AskUserQuestion', input: { questions: QUESTIONS } };
  if (asked.isError) return 'Never mind. Tell me when I can help with something else.';
  if (found === undefined) {
    const wanted = /garden/i.test(asked.result)
      ? 'garden'
      : /camping/i.test(asked.result)
        ? 'camping lantern'
        : 'hammer level';
    return { say: 'Then I know where to look.', call: 'mcp__shop__find_product', input: { words: wanted } };
  }
  const products = productsIn(found.result).slice(0, 2);
  const lines = products.map(({ words }, index) => `${index + 1}. ${words}`);
  return `I would take one of these:\n\n${lines.join('\n')}\n\nBoth can be returned within a month.`;
}

const QUESTIONS = [
  {
    question: 'Where will it be used?',
    header: 'Place',
    options: [
      { label: 'In the house', description: 'Hanging pictures, putting up shelves' },
      { label: 'In the garden', description: 'Plants, hedges, paths' },
      { label: 'Camping', description: 'Tents, evenings without power' },
    ],
    multiSelect: false,
  },
  {
    question: 'What matters most?',
    header: 'Wishes',
    options: [
      { label: 'A good price', description: 'Under 20 €' },
      { label: 'That it lasts', description: 'Repairable, with spare parts' },
      { label: 'That it is light', description: 'Under half a kilogram' },
    ],
    multiSelect: true,
  },
];

/** @param {Turn} turn @returns {Reply} */
function otherwise({ prompt }) {
  return `You have written “${oneLine(prompt)}”. I am a **scripted** model and know only a few sentences about a small shop.\n\n${INTRODUCTION}`;
}

/**
 * The lines of `find_product`.
 *
 * @param {string} result
 */
function productsIn(result) {
  return [...result.matchAll(/^([a-z-]+): (.+?)\. /gm)].map(([, id = '', words = '']) => ({ id, words }));
}

const NUMBERS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** @param {string} prompt */
function numberIn(prompt) {
  const digits = /\b\d{1,3}\b/.exec(prompt)?.[0];
  if (digits !== undefined) return Number(digits);
  const word = NUMBERS.findIndex((each) => new RegExp(`\\b${each}\\b`, 'i').test(prompt));
  return Math.max(word, 1);
}

/** @param {string} words */
const oneLine = (words) => words.replace(/\s+/g, ' ').trim().slice(0, 500);
