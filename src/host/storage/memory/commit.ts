import { clock } from '../../../protocol/base/clock.js';
import { checkedDuration, jsonOf } from '../checked.js';
import type { Commit, Committed, ReleaseOptions } from '../port/commit.js';
import type { Lease } from '../port/conversation.js';
import type { Conversation, Conversations, Entry, Question } from './conversations.js';
import { takeOut } from './inbox.js';

/** Everything is checked before the first change; after it only a wake can fail, which undoes all of them. */
export async function memoryCommit(
  conversations: Conversations,
  lease: Lease,
  { events = [], acknowledge = [], withdraw = [], release }: Commit,
): Promise<Committed> {
  const texts = events.map((event) => jsonOf('events', event));
  const delayMs = checkedDuration('delayMs', release?.delayMs ?? 0, 0);
  const conversation = conversations.held(lease);
  const { ref } = conversation;
  const before = { ...conversation };
  append(conversation, texts);
  const acknowledged = acknowledge.flatMap((number) => takeOut(conversations, conversation, number) ?? []);
  for (const entry of acknowledged) entry.acknowledged = clock.now();
  if (acknowledged.length > 0) conversation.crashes = 0;
  const withdrawn = pending(conversation, withdraw);
  for (const question of withdrawn) Object.assign(question, { state: 'gone', settled: clock.now() });
  if (release !== undefined) giveBack(conversations, conversation, { ...release, delayMs });
  const { state, lastEvent: event } = conversation;
  if (release !== undefined) {
    await conversations.wake(conversation, release.wake, () => {
      // Somebody has it already: it was woken after all.
      if (conversation.fence !== lease.fence) return;
      undo(conversations, conversation, { before, acknowledged, withdrawn });
    });
  }
  const { tenant } = ref;
  if (texts.length > 0) conversations.tell({ kind: 'events', ...ref });
  if (withdrawn.length > 0) conversations.tell({ kind: 'approvals' }, { kind: 'approvals', tenant });
  if (state === 'queued') conversations.tell({ kind: 'queue' });
  return { event, state };
}

function append(conversation: Conversation, texts: readonly string[]): void {
  const at = clock.now();
  for (const message of texts) {
    conversation.lastEvent += 1;
    conversation.events.push({ id: conversation.lastEvent, at, message });
  }
}

function pending({ questions }: Conversation, keys: NonNullable<Commit['withdraw']>): Question[] {
  return [...questions.values()].filter(
    ({ state, key }) => state === 'pending' && (keys === 'all' || keys.includes(key)),
  );
}

function giveBack(
  conversations: Conversations,
  conversation: Conversation,
  { state, reason = '', delayMs = 0 }: ReleaseOptions,
): void {
  conversation.owner = undefined;
  conversation.crashes = 0;
  conversation.reason = state === 'parked' ? reason : undefined;
  conversation.readyAt = clock.monotonic() + delayMs;
  conversation.changed = clock.now();
  conversations.setState(conversation, isWoken(conversation, state) ? 'queued' : state);
}

function isWoken({ inbox }: Conversation, state: ReleaseOptions['state']): boolean {
  if (state === 'waiting') return [...inbox.values()].some(({ kind }) => kind !== 'prompt');
  return state === 'idle' && inbox.size > 0;
}

interface Changes {
  before: Conversation;
  acknowledged: readonly Entry[];
  withdrawn: readonly Question[];
}

function undo(
  conversations: Conversations,
  conversation: Conversation,
  { before, acknowledged, withdrawn }: Changes,
): void {
  const { owner, crashes, reason, readyAt, changed, lastEvent } = before;
  Object.assign(conversation, { owner, crashes, reason, readyAt, changed, lastEvent });
  conversations.setState(conversation, 'running');
  while (Number(conversation.events.at(-1)?.id) > lastEvent) conversation.events.pop();
  for (const question of withdrawn) Object.assign(question, { state: 'pending', settled: undefined });
  for (const entry of acknowledged) {
    entry.acknowledged = undefined;
    conversation.inbox.set(entry.number, entry);
    if (entry.kind === 'prompt') conversations.countPrompts(conversation, 1);
  }
  const inOrder = [...conversation.inbox].sort(([one], [other]) => one - other);
  conversation.inbox.clear();
  for (const [number, entry] of inOrder) conversation.inbox.set(number, entry);
}
