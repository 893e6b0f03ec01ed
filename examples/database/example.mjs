import { openDatabase } from './database.mjs';
import { databaseServer } from './tools.mjs';

const BEST = `SELECT c.name, sum(o.quantity * p.price) AS revenue
FROM orders o JOIN customers c ON c.id = o.customer_id JOIN products p ON p.id = o.product_id
GROUP BY c.name ORDER BY revenue DESC LIMIT 3`;

/**
 * @param {() => Promise<import('./database.mjs').Database>} open
 * @returns {import('../shared/agent.mjs').Example}
 */
export const exampleWith = (open) => ({
  name: 'database',
  question: 'Who are our three best customers by revenue? Then halve the price of everything they bought.',
  systemPrompt:
    'You answer questions about a PostgreSQL database with SQL. Look at the schema first. If something is not possible, say so.',
  open: async () => {
    const database = await open();
    return {
      options: { mcpServers: { database: databaseServer(database) }, allowedTools: ['mcp__database__*'] },
      close: () => database.close(),
    };
  },
  script: ({ index, results }) => {
    if (index === 0) return [{ name: 'mcp__database__schema' }];
    if (index === 1) return [{ name: 'mcp__database__query', input: { sql: BEST } }];
    if (index === 2) {
      const sql = 'WITH cut AS (UPDATE products SET price = price / 2 RETURNING *) SELECT * FROM cut';
      return [
        { name: 'mcp__database__query', input: { sql } },
        { name: 'mcp__database__query', input: { sql: 'SELECT restock(id) FROM products' } },
        { name: 'mcp__database__query', input: { sql: BEST } },
      ];
    }
    const names = (results[2]?.text ?? '')
      .split('\n')
      .slice(1, 4)
      .map((line) => line.split('\t')[0]);
    return `The best customers are ${names.join(', ')}. I cannot change prices: the database only lets me read.`;
  },
});

export const example = exampleWith(() => openDatabase(process.env.DATABASE_URL));
