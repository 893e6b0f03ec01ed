import { expect } from 'vitest';
import type { Turn } from '../../faults/support/fold.js';
import type { Effect } from '../../faults/support/look.js';
import type { Spoken } from './conversation.js';

/** Every prompt has one turn, in the order in which it was sent, and the model has seen them in that order. */
export function checkTurns({ ref, prompts }: Spoken, turns: readonly Turn[]): void {
  expect(turns.map(({ prompt }) => prompt)).toEqual(prompts);
  let number = 0;
  for (const { prompt, words, outcome, asked } of turns) {
    const label = prompt.split(':')[0];
    if (outcome !== 'dropped') number += 1;
    if (outcome === 'dropped') expect(words, `${ref.session}: ${prompt}`).toEqual([]);
    if (outcome === 'answered')
      expect(words.at(-1), label).toContain(`assistant: ${label} is turn ${number}: `);
    else expect(outcome, `${prompt}: ${words.join(', ')}`).toMatch(/^(?:interrupted|dropped)$/);
    expect(new Set(asked).size, label).toBe(asked.length);
  }
}

/** What may not be repeated was not, and what may be has had the same key each time. */
export function checkEffects(effects: readonly Effect[]): void {
  const keys = new Map<string, string[]>();
  for (const { tool, label, key } of effects) {
    const name = `${tool} for ${label}`;
    keys.set(name, [...(keys.get(name) ?? []), key]);
  }
  const repeated = [...keys].filter(
    ([name, all]) => new Set(all).size > 1 || (all.length > 1 && !/^\S*idempotent /.test(name)),
  );
  expect(repeated).toEqual([]);
}
