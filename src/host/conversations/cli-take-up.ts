// A conversation of the CLI whose process is gone, and how it goes on: what is said here to the model stands in its
// transcript before a process starts.

import { isRecord } from '../../protocol/base/kinds.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { ToolResultBlockParam } from '../../protocol/wire/content.js';
import type { JournalState } from '../../protocol/wire/journal.js';
import type { SDKUserMessage } from '../../protocol/wire/messages/index.js';
import type { SessionStoreEntry } from '../../protocol/wire/session-store.js';
import { lastEntryId } from '../../sessions/session-conflict.js';
import { permissionResult } from '../answers.js';
import type { HostAnswer } from '../host-messages.js';
import type { AnswerBody } from '../run/run-inbox.js';
import type { Approval } from '../storage/port/approvals.js';
import type { Lease } from '../storage/port/conversation.js';
import type { HostStorage } from '../storage/port/storage.js';
import { Addendum, type OpenCall, openCalls } from './cli-transcript.js';
import { type HostedStore, PROJECT_KEY } from './hosted-store.js';

/** As the CLI says it. */
export const UNKNOWN =
  "[Tool call interrupted: the session ended before this call's result was recorded, so its outcome is unknown. Check whether it took effect before relying on it or running it again.]";
export const NOT_MADE =
  'This call was not made: the conversation was put away until somebody had answered a question about another call. Make it again if it is still needed.';
const STOPPED = 'This call was not made: the turn was interrupted before anybody had answered.';

interface Heard {
  /** What people have answered since, by the ids of calls. */
  readonly answers: ReadonlyMap<string, HostAnswer>;
  /** The questions that wait, by their keys. */
  readonly pending: ReadonlySet<string>;
  /** Somebody has stopped the turn. */
  readonly isStopped: boolean;
}

interface Decided {
  readonly next: TakenUp['next'];
  /** The calls that are made, if the answers are such. */
  readonly kept: readonly OpenCall[];
}

export interface TakenUp {
  /**
   * - `try`: the CLI tries this call as soon as it starts.
   * - `go on`: the CLI has to be told.
   * - `wait`: nobody has answered yet; no process is needed.
   * - `stop`: the turn is over.
   */
  readonly next: { do: 'try'; call: string } | { do: 'go on' | 'wait' | 'stop' };
  readonly sessionId: string;
  /** Questions that still wait, and those that nobody needs to answer any more. */
  readonly waiting: readonly Approval[];
  readonly withdrawn: readonly Approval[];
  /** What the model is told of calls that are not made, for readers. */
  readonly results: readonly SDKUserMessage[];
}

/** Decides, and writes it down. For the holder of the lease. */
export async function takeUp(
  storage: HostStorage,
  lease: Lease,
  store: HostedStore,
  { sessionId, entries }: { sessionId: string; entries: readonly SessionStoreEntry[] },
  isStopped: boolean,
): Promise<TakenUp> {
  const { tenant, session } = lease;
  // In this order: whatever is answered in between is seen twice, and nothing is overlooked.
  const pending = await storage.approvals.list({ tenant, session, limit: LIMITS.hostPageMost });
  const inbox = await storage.inbox.read(lease, { limit: LIMITS.hostInboxPage });
  const answers = new Map(
    inbox.flatMap(({ kind, body }) => {
      const { key, answer } = body as AnswerBody;
      return kind === 'answer' ? [[key, answer] as const] : [];
    }),
  );
  const open = openCalls(entries);
  const journal = storage.journal(lease);
  const states = new Map<string, JournalState>();
  for (const { id, name, input } of open) {
    states.set(id, await journal.look({ sessionId, toolUseId: id, toolName: name, input }));
  }
  const addendum = new Addendum(entries);
  const keys = pending.map(({ key }) => key).filter((key) => !answers.has(key));
  const { next, kept } = decide({ answers, pending: new Set(keys), isStopped }, open, states, addendum);
  await append(store, sessionId, entries, addendum);
  const isKept = ({ key }: Approval): boolean => kept.some(({ id }) => id === key);
  const unanswered = pending.filter(({ key }) => !answers.has(key));
  return {
    next,
    sessionId,
    waiting: unanswered.filter(isKept),
    withdrawn: unanswered.filter((approval) => !isKept(approval)),
    results: addendum.results,
  };
}

export async function append(
  store: HostedStore,
  sessionId: string,
  stored: readonly SessionStoreEntry[],
  { entries }: Addendum,
): Promise<void> {
  if (entries.length === 0) return;
  const after = lastEntryId(stored) ?? null;
  await store.append({ projectKey: PROJECT_KEY, sessionId }, entries, { after });
}

function decide(
  { answers, pending, isStopped }: Heard,
  open: readonly OpenCall[],
  states: ReadonlyMap<string, JournalState>,
  addendum: Addendum,
): Decided {
  const denials = new Map(open.flatMap((call) => denialOf(call, answers.get(call.id))));
  const free: OpenCall[] = [];
  for (const call of open) {
    const known = states.get(call.id) ?? { state: 'uncertain' };
    const denial = denials.get(call.id);
    const wasAsked = call.isNoted || answers.has(call.id) || pending.has(call.id);
    if (known.state === 'done') addendum.answer(call, resultOf(known.result));
    else if (known.state === 'uncertain' || !wasAsked) addendum.refuse(call, UNKNOWN);
    else if (denial !== undefined) addendum.refuse(call, denial.message);
    else if (isStopped) addendum.refuse(call, STOPPED);
    else free.push(call);
  }
  if (isStopped || [...denials.values()].some(({ interrupt }) => interrupt)) {
    for (const call of free) addendum.refuse(call, STOPPED);
    return { next: { do: 'stop' }, kept: [] };
  }
  if (free.length === 0) return { next: { do: 'go on' }, kept: [] };
  const chosen = free.find(({ id }) => !pending.has(id));
  if (chosen === undefined) {
    for (const call of free) if (!call.isNoted) addendum.note(call);
    return { next: { do: 'wait' }, kept: free };
  }
  for (const call of free) if (call !== chosen) addendum.refuse(call, NOT_MADE);
  addendum.note(chosen);
  return { next: { do: 'try', call: chosen.id }, kept: [chosen] };
}

/** A call that somebody has denied gets its result here: no rule that was changed since can let it pass. */
function denialOf(
  { id, input }: OpenCall,
  answer: HostAnswer | undefined,
): [string, { message: string; interrupt: boolean }][] {
  const decided = answer === undefined ? undefined : permissionResult(answer, input);
  if (decided?.behavior !== 'deny') return [];
  return [[id, { message: decided.message, interrupt: decided.interrupt === true }]];
}

/** What the journal has of a call is the block that the model would have read. */
function resultOf(result: unknown): ToolResultBlockParam {
  if (isRecord(result) && result.type === 'tool_result') return result as unknown as ToolResultBlockParam;
  return { type: 'tool_result', tool_use_id: '', content: UNKNOWN, is_error: true };
}
