import { checkedLimit } from '../checked.js';
import { LeaseLostError } from '../errors.js';
import type { InboxStorage } from '../port/inbox.js';
import type { PostgresContext } from './context.js';
import { entryOf } from './inbox-rows.js';
import { sender } from './send.js';
import { statement, textIn } from './sql.js';
import { leaseValues, millisecondsOf } from './statements.js';

export function postgresInbox(context: PostgresContext): InboxStorage {
  const { schema, database } = context;
  const read = statement(`
    WITH held AS (SELECT 1 FROM ${schema}.sessions WHERE tenant = $1 AND session = $2 AND fence = $3 AND owner IS NOT NULL)
    SELECT i.id, i.number, i.kind, i.body, ${millisecondsOf('i.at')} AS at FROM held LEFT JOIN LATERAL (
      SELECT * FROM ${schema}.inbox
      WHERE tenant = $1 AND session = $2 AND acknowledged IS NULL ORDER BY kind = 'prompt', number LIMIT $4
    ) i ON true ORDER BY i.kind = 'prompt', i.number`);
  return {
    send: sender(context),
    read: async (lease, { limit } = {}) => {
      const { rows } = await (await database()).query(read, [...leaseValues(lease), checkedLimit(limit)]);
      if (rows.length === 0) throw new LeaseLostError(lease);
      return rows.flatMap((row) => (textIn(row, 'id') === undefined ? [] : [entryOf(row)]));
    },
  };
}
