import { clock } from '../../../protocol/base/clock.js';
import { checkedCount, checkedLimit, checkedRef, jsonOf } from '../checked.js';
import type { EventStorage } from '../port/events.js';
import type { Conversations } from './conversations.js';

export function memoryEvents(conversations: Conversations): EventStorage {
  return {
    append: async (lease, messages) => {
      const texts = messages.map((message) => jsonOf('message', message));
      const conversation = conversations.held(lease);
      const at = clock.now();
      for (const message of texts) {
        conversation.lastEvent += 1;
        conversation.events.push({ id: conversation.lastEvent, at, message });
      }
      if (texts.length > 0) conversations.tell({ kind: 'events', ...conversation.ref });
      return conversation.lastEvent;
    },
    read: async (ref, { after = 0, limit } = {}) => {
      conversations.checkOpen();
      checkedCount('after', after, 0);
      const { events = [], lastEvent: last = 0 } = conversations.get(checkedRef(ref)) ?? {};
      // Ids have no gaps, so an event's place follows from its id.
      const oldest = events[0]?.id ?? last + 1;
      const start = Math.max(0, after + 1 - oldest);
      const page = events.slice(start, start + checkedLimit(limit));
      return {
        events: page.map(({ id, at, message }) => ({ id, at, message: JSON.parse(message) })),
        missed: Math.max(0, oldest - 1 - after),
        last,
      };
    },
  };
}
