import { checkedCount, checkedLimit, checkedRef } from '../checked.js';
import type { EventStorage } from '../port/events.js';
import type { PostgresContext } from './context.js';
import { numberIn, statement, textIn } from './sql.js';
import { millisecondsOf, refValues } from './statements.js';

export function postgresEvents({ schema, database }: PostgresContext): EventStorage {
  // The row of the conversation comes also when there is no event, once.
  const read = statement(`
    SELECT s.first_event, s.last_event, e.id, ${millisecondsOf('e.at')} AS at, e.message
    FROM ${schema}.sessions s LEFT JOIN LATERAL (
      SELECT * FROM ${schema}.events
      WHERE tenant = s.tenant AND session = s.session AND id > $3 AND id >= s.first_event
      ORDER BY id LIMIT $4
    ) e ON true
    WHERE s.tenant = $1 AND s.session = $2 ORDER BY e.id`);
  return {
    read: async (ref, { after = 0, limit } = {}) => {
      const values = [...refValues(checkedRef(ref)), checkedCount('after', after, 0), checkedLimit(limit)];
      const { rows } = await (await database()).query(read, values);
      return {
        events: rows.flatMap((row) => {
          const message = textIn(row, 'message');
          if (message === undefined) return [];
          return [{ id: numberIn(row, 'id'), at: numberIn(row, 'at'), message: JSON.parse(message) }];
        }),
        missed: rows.length === 0 ? 0 : Math.max(0, numberIn(rows[0], 'first_event') - 1 - after),
        last: numberIn(rows[0], 'last_event'),
      };
    },
  };
}
