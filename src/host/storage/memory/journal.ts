import { clock } from '../../../protocol/base/clock.js';
import type { Journal, JournaledCall, JournalState } from '../../../protocol/wire/journal.js';
import { callName, jsonOf } from '../checked.js';
import type { Lease } from '../port/conversation.js';
import type { Conversations } from './conversations.js';

export function memoryJournal(conversations: Conversations, lease: Lease): Journal {
  const look = (call: JournaledCall): JournalState => {
    const known = conversations.held(lease).journal.get(callName(call));
    if (known === undefined) return { state: 'new' };
    if (known.result === undefined) return { state: 'uncertain' };
    return { state: 'done', result: JSON.parse(known.result) };
  };
  const note = (call: JournaledCall, result: string | undefined): void => {
    conversations.held(lease).journal.set(callName(call), { result, at: clock.now() });
  };
  return {
    look: async (call) => look(call),
    begin: async (call) => {
      const known = look(call);
      if (known.state === 'new') note(call, undefined);
      return known;
    },
    end: async (call, result) => {
      const text = jsonOf('result', result);
      if (look(call).state !== 'done') note(call, text);
    },
  };
}
