import { OptionError } from '../protocol/base/errors.js';
import { isRecord } from '../protocol/base/kinds.js';
import type { Journal, JournaledCall, JournalState } from '../protocol/wire/journal.js';
import type { RuntimeConfig, RuntimeStart } from './start/runtime-config.js';

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
