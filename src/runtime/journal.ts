import { OptionError } from '../protocol/base/errors.js';
import { isRecord } from '../protocol/base/kinds.js';
import type { RuntimeConfig, RuntimeStart } from './start/runtime-config.js';

/** A call of a tool, as a journal knows it: by its session and its id. The rest is for people who read the journal. */
export interface JournaledCall {
  readonly sessionId: string;
  readonly toolUseId: string;
  readonly toolName: string;
  readonly input: unknown;
}

export type JournalState =
  /** Never begun. */
  | { readonly state: 'new' }
  /** It has run, and this is what `end` was given. */
  | { readonly state: 'done'; readonly result: unknown }
  /** Begun, and never ended: it may or may not have had its effect. */
  | { readonly state: 'uncertain' };

/**
 * Remembers which calls have run, so that a conversation whose program was killed goes on without making one of them
 * twice: `embedded({ journal })`. `journalConformance` in `tenon/testing` checks whether a journal meets this contract.
 *
 * A call that rejects, or takes longer than a store may, ends the turn: a tool is not run if nobody could know of it.
 */
export interface Journal {
  /** Called when a conversation is resumed, for each call without a result, before anybody is asked about it. Changes nothing. */
  look(call: JournaledCall): Promise<JournalState>;
  /**
   * Called right before the handler runs, when everybody has permitted it. What was known until then; `new` means that it
   * has begun now, which survives the program once this resolves. Of several that begin one call, one is told `new`.
   */
  begin(call: JournaledCall): Promise<JournalState>;
  /** Called right after the handler, with JSON. Once it resolves the call is `done`. The first result stays. */
  end(call: JournaledCall, result: unknown): Promise<void>;
}

/** A journal that lasts as long as the process, for tests and for conversations that need not survive it. */
export function memoryJournal(): Journal {
  const calls = new Map<string, JournalState>();
  const look = (call: JournaledCall): JournalState =>
    structuredClone(calls.get(nameOf(call))) ?? { state: 'new' };
  return {
    look: async (call) => look(call),
    begin: async (call) => {
      const known = look(call);
      if (known.state === 'new') calls.set(nameOf(call), { state: 'uncertain' });
      return known;
    },
    end: async (call, result) => {
      if (look(call).state === 'done') return;
      calls.set(nameOf(call), { state: 'done', result: structuredClone(result) });
    },
  };
}

/** JSON, because ids may contain any character. */
function nameOf({ sessionId, toolUseId }: JournaledCall): string {
  return JSON.stringify([sessionId, toolUseId]);
}

const MEMBERS = ['look', 'begin', 'end'] as const;

export function checkJournal({ journal }: { readonly journal?: unknown }, caller: string): void {
  if (journal === undefined) return;
  const missing = MEMBERS.find((name) => !isRecord(journal) || typeof journal[name] !== 'function');
  if (missing === undefined) return;
  throw new OptionError(
    'journal',
    journal,
    `${caller}(): \`journal\` needs the functions look, begin and end; \`${missing}\` is missing. memoryJournal() makes one for this process.`,
  );
}

/** What a call has returned is of no use without the answer that has asked for it. */
export function checkKept(
  { journal, sessionStore }: Pick<RuntimeConfig, 'journal' | 'sessionStore'>,
  { flags, sessionStore: given = sessionStore }: RuntimeStart,
): void {
  if (given !== undefined && flags.persistSession) return;
  const reason = given === undefined ? 'there is no `sessionStore`' : '`persistSession` is false';
  throw new OptionError(
    'journal',
    journal,
    `\`journal\` is for conversations that are stored, and this one is not: ${reason}. Give a \`sessionStore\`, or leave \`journal\` out.`,
  );
}
