import { checkedCount, checkedLimit, checkedRef } from '../checked.js';
import type { EventStorage } from '../port/events.js';
import type { Conversations } from './conversations.js';

export function memoryEvents(conversations: Conversations): EventStorage {
  return {
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
