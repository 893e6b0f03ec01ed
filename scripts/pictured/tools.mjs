// The tools of a small shop, for pictures.
import { setTimeout as wait } from 'node:timers/promises';
import { tool } from 'tenon';
import { z } from 'zod';

const product = z.string().describe('The name on the shelf');

export const stock = tool(
  'stock',
  'How many pieces of a product are in stock, and on which shelf.',
  { product },
  async ({ product }) => {
    await wait(120);
    return JSON.stringify({ product, pieces: 8, shelf: 'B4' });
  },
);

export const price = tool(
  'price',
  'What one piece of a product costs.',
  { product, currency: z.enum(['EUR', 'USD']).optional() },
  async ({ product }) => {
    await wait(product === 'mallet' ? 900 : 640);
    if (product === 'anvil') throw new Error('There is no price list for anvils.');
    return `12.50 EUR for one ${product}`;
  },
  { alwaysLoad: true, annotations: { readOnlyHint: true } },
);

export const reserve = tool(
  'reserve',
  'Puts pieces of a product aside for a customer.',
  { product, pieces: z.number().int().min(1), customer: z.string(), express: z.boolean().optional() },
  async ({ pieces, customer }) => {
    await wait(210);
    return `${pieces} pieces are put aside for ${customer}.`;
  },
  { alwaysLoad: true },
);

export const refund = tool(
  'refund',
  'Pays the money of an order back.',
  { order: z.string() },
  async () => 'Paid back.',
  {
    alwaysLoad: true,
  },
);
