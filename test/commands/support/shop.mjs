// Tools with every kind of argument and every kind of answer.
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { content, createSdkMcpServer, tool } from '../../../dist/index.js';

const order = {
  product: z.string().describe('The name of the product, as it is on the label of the shelf'),
  count: z.number().int().min(1).max(10).default(1).describe('How many'),
  colours: z.array(z.enum(['red', 'green'])).optional(),
  address: z.object({ city: z.string(), zip: z.number().optional() }).optional(),
  isGift: z.boolean().optional(),
  sizes: z.array(z.number()).optional(),
};

const about =
  'Orders a product. The warehouse is asked first, which can take a while at night, and never more than once.';

export const shop = createSdkMcpServer({
  name: 'shop',
  instructions: 'Everything about the shop.',
  tools: [
    tool('order', about, order, (given) => JSON.stringify(given)),
    tool('any', 'Takes anything', { type: 'object' }, (given) => JSON.stringify(given)),
    tool('nothing', 'Says nothing', {}, () => ''),
    tool('picture', 'Shows something', {}, () => [
      content.text('Look:'),
      content.image(Buffer.alloc(3000), 'image/png'),
    ]),
    tool('fails', 'Fails', {}, () => {
      throw new Error('The till is empty.');
    }),
    tool('busy', 'Reports and logs', {}, (_, { reportProgress, log }) => {
      reportProgress(1, 2, 'half of it');
      log('warning', 'the till is nearly empty');
      return 'done';
    }),
    tool('waits', 'Never ends by itself', {}, async (_, { signal, reportProgress }) => {
      reportProgress(1, 3, 'begun');
      await wait(60_000, undefined, { signal }).catch((error) => {
        console.log('told to stop');
        throw error;
      });
    }),
  ],
});

export const spare = createSdkMcpServer({
  name: 'spare',
  tools: [tool('nothing', 'Says nothing, too', {}, () => 'spare')],
});
