import { clock } from '../../../protocol/base/clock.js';
import { checkedLimit, checkedName, checkedRef, jsonOf } from '../checked.js';
import { LeaseLostError } from '../errors.js';
import type { Approval, ApprovalState, ApprovalStorage } from '../port/approvals.js';
import type { SessionRef } from '../port/conversation.js';
import { addEntry } from './add-entry.js';
import type { PostgresContext } from './context.js';
import { numberIn, type Row, statement, textIn } from './sql.js';
import { heldRow, leaseValues, millisecondsOf, refValues } from './statements.js';

export function postgresApprovals({ schema, database, changed }: PostgresContext): ApprovalStorage {
  // An update that changes nothing: it alone returns the row that is there.
  const ask = statement(`
    WITH held AS (${heldRow(schema)})
    INSERT INTO ${schema}.approvals AS a (id, tenant, session, key, question)
    SELECT $4, tenant, session, $5, $6 FROM held
    ON CONFLICT (tenant, session, key) DO UPDATE SET key = a.key
    RETURNING id, state, answer`);
  const answer = statement(`
    UPDATE ${schema}.approvals SET state = 'answered', answer = $2, settled = clock_timestamp()
    WHERE id = $1 AND state = 'pending' RETURNING key`);
  const columns = `a.id, a.tenant, a.session, a.key, a.question, ${millisecondsOf('a.since')} AS since`;
  const one = `SELECT ${columns}, a.state, a.answer FROM ${schema}.approvals a WHERE a.id = $1`;
  const list = `
    SELECT ${columns} FROM ${schema}.approvals a
    WHERE a.state = 'pending' AND ($1::text IS NULL OR a.tenant = $1) AND ($2::text IS NULL OR a.session = $2)
      AND a.place > coalesce((SELECT b.place FROM ${schema}.approvals b WHERE b.id = $3::text), 0)
    ORDER BY a.place LIMIT $4`;
  const tell = ({ tenant }: SessionRef): void =>
    changed({ kind: 'approvals' }, { kind: 'approvals', tenant });
  return {
    ask: async (lease, key, question) => {
      const values = [clock.uuid(), checkedName('key', key), jsonOf('question', question)];
      const { rows } = await (await database()).query(ask, [...leaseValues(lease), ...values]);
      if (rows[0] === undefined) throw new LeaseLostError(lease);
      tell(lease);
      return { id: textIn(rows[0], 'id') ?? '', ...stateOf(rows[0]) };
    },
    answer: async (id, given, { tenant, wake } = {}) => {
      const text = jsonOf('answer', given);
      const outcome = await (await database()).transaction(async (query) => {
        const find = `SELECT tenant, session, state FROM ${schema}.approvals WHERE id = $1`;
        const [found] = (await query(find, [id])).rows;
        const ref = found && refOf(found);
        if (ref === undefined || (tenant !== undefined && ref.tenant !== tenant)) return 'gone';
        // First the row of the conversation, as everybody does, then that of the question.
        const lock = `SELECT 1 FROM ${schema}.sessions WHERE tenant = $1 AND session = $2 FOR NO KEY UPDATE`;
        await query(lock, refValues(ref));
        const [taken] = (await query(answer, [id, text])).rows;
        if (taken === undefined) {
          return textIn((await query(find, [id])).rows[0], 'state') === 'answered' ? 'already' : 'gone';
        }
        const body = JSON.stringify({ approval: id, key: textIn(taken, 'key'), answer: JSON.parse(text) });
        await addEntry(query, schema, ref, { id: clock.uuid(), kind: 'answer', body, key: null }, wake);
        return ref;
      });
      if (typeof outcome === 'string') return outcome;
      tell(outcome);
      changed({ kind: 'inbox', ...outcome }, { kind: 'queue' });
      return 'taken';
    },
    get: async (id) => {
      const [row] = (await (await database()).query(one, [id])).rows;
      return row && { ...approvalOf(row), ...stateOf(row) };
    },
    list: async ({ tenant, session, after, limit } = {}) => {
      const values = [tenant ?? null, session ?? null, after ?? null, checkedLimit(limit)];
      return (await (await database()).query(list, values)).rows.map(approvalOf);
    },
  };
}

function stateOf(row: Row): ApprovalState {
  const state = textIn(row, 'state');
  if (state === 'answered') return { state, answer: JSON.parse(textIn(row, 'answer') ?? 'null') };
  return { state: state === 'pending' ? 'pending' : 'gone' };
}

function refOf(row: Row): SessionRef {
  return checkedRef({ tenant: textIn(row, 'tenant') ?? '', session: textIn(row, 'session') ?? '' });
}

function approvalOf(row: Row): Approval {
  return {
    ...refOf(row),
    id: textIn(row, 'id') ?? '',
    key: textIn(row, 'key') ?? '',
    question: JSON.parse(textIn(row, 'question') ?? 'null'),
    since: numberIn(row, 'since'),
  };
}
