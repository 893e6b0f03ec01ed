/** A look at what is stored, and at what tools have done. */
import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { newestTranscript } from '../../../../src/host/conversations/hosted-store.js';
import type { HostEvent, HostStorage, SessionRef, SessionState } from '../../../../src/host/index.js';
import { saidIn } from '../../../../src/host/run/told.js';
import { fold, type Turn, turnsOf } from './fold.js';

export interface Effect {
  readonly tool: string;
  readonly label: string;
  readonly key: string;
  readonly version: string;
}

/** Those that tools have written to their file. */
export function effectsIn(file: string): Effect[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}

/** All that was told of a conversation. The numbers have no gap. */
export async function eventsIn(storage: HostStorage, ref: SessionRef): Promise<HostEvent[]> {
  const events: HostEvent[] = [];
  for (;;) {
    const page = await storage.events.read(ref, { after: events.length });
    events.push(...(page.events as HostEvent[]));
    if (events.length < page.last) continue;
    expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1));
    return events;
  }
}

/** Waits until a conversation is at rest, and returns its turns. Readers have seen what the transcript has. */
export async function settledIn(
  storage: HostStorage,
  ref: SessionRef,
  state: SessionState = 'idle',
): Promise<Turn[]> {
  await expect.poll(async () => (await storage.sessions.get(ref))?.state).toBe(state);
  const turns = fold(await eventsIn(storage, ref));
  const stored = turnsOf(saidIn((await newestTranscript(storage.transcript(ref)))?.entries ?? []));
  // Nothing is said of a prompt that was dropped, not even to the model.
  const told = turns.filter(({ outcome }) => outcome !== 'dropped');
  expect(told.map(({ id, prompt, words }) => ({ id, prompt, words }))).toEqual(stored);
  // Of an answer that was interrupted only the pieces are told.
  const whole = turns.filter(({ outcome }) => outcome === 'answered');
  for (const { words, written } of whole) expect(words.join('\n')).toContain(written);
  return turns;
}
