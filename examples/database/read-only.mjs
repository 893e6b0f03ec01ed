// Runs the model's statement so that PostgreSQL itself keeps it from writing. Nothing here inspects the text
// of the statement; each line is a rule that the database enforces:
//
// - READ ONLY: every write is an error, even inside a function or a WITH, and nothing that a query calls,
//   including set_config(), can undo that while it runs.
// - DECLARE … CURSOR accepts a query and nothing else: COPY, SET, COMMIT, CALL, EXPLAIN ANALYZE are syntax
//   errors, and so is a WITH that writes.
// - FETCH limits the number of rows that are ever computed.
// - statement_timeout ends a statement that takes too long.
// - ROLLBACK and DISCARD ALL leave nothing behind: no setting, no lock, no notification.
//
// The statement is sent alone, through the extended protocol, in which PostgreSQL refuses several commands in
// one text.

const DECLARE = 'DECLARE answer NO SCROLL CURSOR FOR ';

/** @typedef {{ maxRows: number, timeoutMs: number }} Limits */

/** @type {Limits} */
export const LIMITS = { maxRows: 50, timeoutMs: 5_000 };

/**
 * @typedef {{ fields: readonly { name: string }[], rows: readonly Record<string, unknown>[] }} Answer
 * @typedef {(sql: string) => Promise<Answer>} Execute
 */

/**
 * @param {Execute} execute runs one statement through the extended protocol, always on the same connection
 * @param {string} sql
 * @param {Limits} limits
 * @returns {Promise<{ columns: string[], rows: Record<string, unknown>[], isCut: boolean }>}
 */
export async function askReadOnly(execute, sql, { maxRows, timeoutMs }) {
  await execute('BEGIN TRANSACTION READ ONLY');
  try {
    await execute(`SET LOCAL statement_timeout = ${timeoutMs}`);
    await execute(`${DECLARE}${sql}`).catch((error) => {
      throw withPosition(error);
    });
    const { fields, rows } = await execute(`FETCH FORWARD ${maxRows + 1} FROM answer`);
    const columns = fields.map(({ name }) => name);
    return { columns, rows: rows.slice(0, maxRows), isCut: rows.length > maxRows };
  } finally {
    await execute('ROLLBACK');
    await execute('DISCARD ALL');
  }
}

/**
 * PostgreSQL counts from the beginning of the text it received, the model from the beginning of its own
 * statement.
 *
 * @param {Error & { position?: string | undefined }} error
 */
function withPosition(error) {
  const position = Number(error.position) - DECLARE.length;
  if (position > 0) error.position = String(position);
  return error;
}

/**
 * The database's own message and hints, with which the model can correct its statement.
 *
 * @param {unknown} error
 */
export function describeError(error) {
  if (!(error instanceof Error)) return String(error);
  const { message, code, detail, hint, position } =
    /** @type {Error & Record<'code' | 'detail' | 'hint' | 'position', string | undefined>} */ (error);
  const more = [
    ...(detail ? [`Detail: ${detail}`] : []),
    ...(hint ? [`Hint: ${hint}`] : []),
    ...(position ? [`At character ${position} of the statement.`] : []),
  ];
  return [`${message}${code ? ` (SQLSTATE ${code})` : ''}`, ...more].join('\n');
}

/** Lists the tables and their columns; it runs like any other query. */
export const SCHEMA_QUERY = `
  SELECT c.table_schema || '.' || c.table_name AS "table", string_agg(c.column_name || ' ' || c.data_type, ', ' ORDER BY c.ordinal_position) AS columns
  FROM information_schema.columns AS c
  WHERE c.table_schema NOT IN ('information_schema', 'pg_catalog')
  GROUP BY 1 ORDER BY 1`;
