import type { Journal, JournaledCall, JournalState } from '../../../protocol/wire/journal.js';
import { callName, jsonOf } from '../checked.js';
import { LeaseLostError } from '../errors.js';
import type { Lease } from '../port/conversation.js';
import type { PostgresContext } from './context.js';
import { numberIn, type Row, type Statement, statement, textIn } from './sql.js';
import { heldRow, leaseValues } from './statements.js';

export function postgresJournal({ schema, database }: PostgresContext): (lease: Lease) => Journal {
  const look = statement(`
    SELECT coalesce(j.attempts, 0) AS attempts, j.result FROM ${schema}.sessions s
    LEFT JOIN ${schema}.journal j ON j.tenant = s.tenant AND j.session = s.session AND j.call = $4
    WHERE s.tenant = $1 AND s.session = $2 AND s.fence = $3 AND s.owner IS NOT NULL`);
  const begin = statement(`
    WITH held AS (${heldRow(schema)})
    INSERT INTO ${schema}.journal AS j (tenant, session, call, tool, input)
    SELECT tenant, session, $4, $5, $6 FROM held
    ON CONFLICT (tenant, session, call) DO UPDATE SET attempts = j.attempts + 1
    RETURNING attempts - 1 AS attempts, result`);
  const end = statement(`
    WITH held AS (${heldRow(schema)})
    INSERT INTO ${schema}.journal AS j (tenant, session, call, tool, result, ended)
    SELECT tenant, session, $4, $5, $6, clock_timestamp() FROM held
    ON CONFLICT (tenant, session, call) DO UPDATE
      SET result = coalesce(j.result, excluded.result), ended = coalesce(j.ended, excluded.ended)
    RETURNING 1`);
  const row = async (
    lease: Lease,
    which: Statement,
    call: JournaledCall,
    ...more: string[]
  ): Promise<Row> => {
    const values = [...leaseValues(lease), callName(call), ...more];
    const { rows } = await (await database()).query(which, values);
    if (rows[0] === undefined) throw new LeaseLostError(lease);
    return rows[0];
  };
  return (lease) => ({
    look: async (call) => stateOf(await row(lease, look, call)),
    begin: async (call) => {
      const input = jsonOf('input', call.input);
      return stateOf(await row(lease, begin, call, JSON.stringify(call.toolName), input));
    },
    end: async (call, result) => {
      await row(lease, end, call, JSON.stringify(call.toolName), jsonOf('result', result));
    },
  });
}

/** `attempts`: those before this one. */
function stateOf(row: Row): JournalState {
  const result = textIn(row, 'result');
  if (result !== undefined) return { state: 'done', result: JSON.parse(result) };
  return { state: numberIn(row, 'attempts') === 0 ? 'new' : 'uncertain' };
}
