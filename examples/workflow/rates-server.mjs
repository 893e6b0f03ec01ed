// The remote server among the three: exchange rates over HTTP, in a separate process. The rates are invented.

import { createSdkMcpServer, serveHttp, tool } from 'tenon';
import { z } from 'zod';

/** @type {Record<string, number>} */
const PER_EUR = { EUR: 1, USD: 1.1, GBP: 0.85, JPY: 160 };

/** @param {string} currency */
function rateOf(currency) {
  const rate = PER_EUR[currency.toUpperCase()];
  if (rate === undefined) {
    throw new Error(`Unknown currency '${currency}'. Must be one of: ${Object.keys(PER_EUR).join(', ')}`);
  }
  return rate;
}

const convert = tool(
  'convert',
  'Convert an amount of money from one currency to another',
  {
    amount: z.number().nonnegative().describe('how much'),
    from: z.string().describe('a currency such as EUR'),
    to: z.string().describe('a currency such as USD'),
  },
  ({ amount, from, to }) => ((amount / rateOf(from)) * rateOf(to)).toFixed(2),
  { annotations: { readOnlyHint: true } },
);

const serving = await serveHttp(createSdkMcpServer({ name: 'rates', tools: [convert] }), {
  port: Number(process.argv[2] ?? 0),
});
// Tells the parent process that the server can be reached.
console.log(serving.url);
// It ends with its parent process.
process.stdin.on('end', () => void serving.close()).resume();
