// @ts-check
import { createSdkMcpServer, tool } from 'tenon';
import { z } from 'zod';

const IN_STOCK = new Map([
  ['hammer', 7],
  ['saw', 2],
]);

/** The model reads what it returns; what it throws is an error that the model can act on. */
export const stock = tool(
  'stock',
  'How many of a product are in stock',
  { product: z.string().describe('the product in the singular, for example "hammer"') },
  ({ product }) => {
    const count = IN_STOCK.get(product.toLowerCase());
    if (count === undefined)
      throw new Error(`No product "${product}". There are: ${[...IN_STOCK.keys()].join(', ')}.`);
    return `${product}: ${count} in stock`;
  },
);

export const shop = createSdkMcpServer({ name: 'shop', tools: [stock], alwaysLoad: true });
