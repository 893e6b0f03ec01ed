/** Runs of a small shop, recorded from the embedded runtime: what the page's tests look at. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { createSdkMcpServer, type Options, tool } from '../../../src/index.js';
import { blocks, text, toolUse } from '../../../src/testing/index.js';
import { type Answer, ask, BACK_ENDS } from '../../support/back-ends.js';

export const STOCK = 'mcp__shop__stock';
export const PRICE = 'mcp__shop__price';

export interface Shop {
  /** What `stock` is for, and gives. */
  readonly description?: string;
  readonly answer?: string;
  readonly script?: readonly Answer[];
  readonly options?: Options;
  readonly onCli?: boolean;
}

/** Two tools side by side, of which one fails; then one that is not permitted. */
const SCRIPT: readonly Answer[] = [
  blocks([
    { type: 'thinking', thinking: 'Both at once.', signature: 's' },
    { type: 'text', text: 'I will look.' },
    { type: 'tool_use', name: STOCK, input: { product: 'hammer' } },
    { type: 'tool_use', name: PRICE, input: { product: 'anvil' } },
  ]),
  toolUse('mcp__shop__refund', { order: 'A-17' }),
  text('Eight hammers.', { usage: { input_tokens: 700, output_tokens: 30, cache_read_input_tokens: 4000 } }),
];

/** The text of a tape. */
export async function shopTape({
  script = SCRIPT,
  onCli = false,
  options = {},
  ...shop
}: Shop = {}): Promise<string> {
  const backEnd = BACK_ENDS.find(({ isCli }) => isCli === onCli);
  if (backEnd === undefined) throw new Error('There is no such back end.');
  await using agent = await backEnd.start([...script]);
  const file = join(agent.box.cwd, 'run.tape');
  const own: Options = {
    record: file,
    mcpServers: { shop: server(shop) },
    allowedTools: [STOCK, PRICE],
    canUseTool: async () => ({ behavior: 'deny', message: 'Refunds need a manager.' }),
    stderr: () => {},
    ...options,
  };
  await ask(agent.options(own), 'How many hammers do we have?');
  return await readFile(file, 'utf8');
}

function server({ description = 'How many pieces are in stock.', answer = '{"pieces":8}' }: Shop) {
  return createSdkMcpServer({
    name: 'shop',
    tools: [
      tool('stock', description, { product: z.string() }, async () => answer),
      tool('price', 'What a product costs.', { product: z.string() }, async () => {
        throw new Error('No price list.');
      }),
      tool('refund', 'Pays money back.', { order: z.string() }, async () => 'paid'),
    ],
  });
}
