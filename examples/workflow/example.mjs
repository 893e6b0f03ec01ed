import { cp, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { calculator } from '../calculator/tools.mjs';
import { filesIn, startRates } from './servers.mjs';

/** @type {import('../shared/agent.mjs').Example} */
export const example = {
  name: 'workflow',
  question: 'Add up the orders in orders.csv, convert the total to USD, and write both to report.txt.',
  systemPrompt:
    'You work in a folder with the tools of three servers: files, rates and calculator. Paths are relative to the folder.',
  open: async () => {
    // A copy, so that the example can be repeated.
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'tenon-workflow-')));
    await cp(fileURLToPath(new URL('data', import.meta.url)), folder, { recursive: true });
    const rates = await startRates();
    return {
      options: {
        mcpServers: {
          files: { ...filesIn(folder), alwaysLoad: true },
          rates: { type: 'http', url: rates.url, alwaysLoad: true },
          calculator,
        },
        allowedTools: ['mcp__files__*', 'mcp__rates__*', 'mcp__calculator__*'],
        // The first two connect while the agent starts; the prompt waits for them.
        mcpReady: { timeout: 30_000 },
        cwd: folder,
      },
      conclude: async () => `report.txt:\n${(await readFile(join(folder, 'report.txt'), 'utf8')).trim()}`,
      close: async () => {
        await rates.close();
        await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
      },
    };
  },
  script: ({ index, all }) => {
    const [orders = '', total = '', dollars = ''] = all.map(({ text }) => text);
    switch (index) {
      case 0:
        return [{ name: 'mcp__files__read_text_file', input: { path: 'orders.csv' } }];
      case 1:
        return [{ name: 'mcp__calculator__evaluate', input: { expression: sumOf(orders) } }];
      case 2:
        return [{ name: 'mcp__rates__convert', input: { amount: Number(total), from: 'EUR', to: 'USD' } }];
      case 3: {
        const content = `Total: ${total} EUR, ${dollars} USD\n`;
        return [{ name: 'mcp__files__write_file', input: { path: 'report.txt', content } }];
      }
      default:
        return `The orders add up to ${total} EUR, which is ${dollars} USD. It is in report.txt.`;
    }
  },
};

/**
 * What a model would compute from the file: "3 * 24.50 + 2 * 42.90 …". The server returns the file twice, as
 * text and inside JSON.
 *
 * @param {string} text
 */
function sumOf(text) {
  const rows = text.matchAll(/(\d{4}),[^,]+,(\d+),(\d+\.\d\d)/g);
  const orders = new Map([...rows].map(([, order, quantity, price]) => [order, `${quantity} * ${price}`]));
  return [...orders.values()].join(' + ');
}
