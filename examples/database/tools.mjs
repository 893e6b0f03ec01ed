import { createSdkMcpServer, tool } from 'tenon';
import { z } from 'zod';
import { describeError, SCHEMA_QUERY } from './read-only.mjs';

/** @param {import('./database.mjs').Database} database */
export function databaseServer(database) {
  /** @param {string} sql */
  const answer = async (sql) => {
    const rows = await database.ask(sql).catch((error) => {
      throw new Error(describeError(error));
    });
    return tableOf(rows);
  };
  const schema = tool(
    'schema',
    'The tables of the database and their columns',
    {},
    () => answer(SCHEMA_QUERY),
    {
      annotations: { readOnlyHint: true },
    },
  );
  const query = tool(
    'query',
    'Run one SQL query (PostgreSQL) and get its rows. The database is read-only: only SELECT, VALUES, TABLE and WITH.',
    { sql: z.string().min(1).describe('one statement, without parameters') },
    ({ sql }) => answer(sql),
    { annotations: { readOnlyHint: true }, maxResultChars: 20_000 },
  );
  return createSdkMcpServer({ name: 'database', tools: [schema, query], alwaysLoad: true });
}

/**
 * Lines and tabs: compact for a model, readable for a person.
 *
 * @param {import('./database.mjs').Rows} rows
 */
function tableOf({ columns, rows, isCut }) {
  const lines = rows.map((row) => columns.map((column) => cell(row[column])).join('\t'));
  const count = isCut
    ? `The first ${rows.length} rows; there are more. Aggregate, or use LIMIT and OFFSET.`
    : `${rows.length} ${rows.length === 1 ? 'row' : 'rows'}`;
  return [columns.join('\t'), ...lines, `(${count})`].join('\n');
}

/** @param {unknown} value */
function cell(value) {
  if (value === null || value === undefined) return 'NULL';
  if (value instanceof Date) return value.toISOString().replace('T00:00:00.000Z', '');
  if (typeof value === 'object') return JSON.stringify(value);
  return String(value).replaceAll(/[\t\n]/g, ' ');
}
