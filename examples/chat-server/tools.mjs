import { createSdkMcpServer, tool } from 'tenon';
import { z } from 'zod';
import { euros, findProducts, PRODUCTS } from './products.mjs';

/** What the agent may do without asking. `order` is not among it: a person decides. */
export const HARMLESS = ['mcp__shop__find_product', 'mcp__shop__list_orders'];

/**
 * The shop as one customer sees it. Who that is comes from the server, not from the model.
 *
 * @param {import('./orders.mjs').Orders} orders
 * @param {string} customer
 */
export function shopServer(orders, customer) {
  const find = tool(
    'find_product',
    'Find products of the shop, with their price and how many there are',
    { words: z.string().max(200).describe('what the customer is looking for') },
    ({ words }) =>
      findProducts(words)
        .map(
          ({ id, name, price, stock, about }) =>
            `${id}: ${name}, ${euros(price)}, ${stock} in stock. ${about}`,
        )
        .join('\n') || 'Nothing like that.',
    { annotations: { readOnlyHint: true } },
  );
  const order = tool(
    'order',
    'Order a product for the customer. A person is asked before anything is ordered.',
    {
      product: z.string().max(100).describe('its id, as `find_product` says it'),
      quantity: z.int().min(1).max(100),
    },
    ({ product: id, quantity }, { idempotencyKey }) => {
      const product = PRODUCTS.find((each) => each.id === id);
      if (product === undefined)
        throw new Error(`There is no product '${id}'. Look for its id with find_product.`);
      if (quantity > product.stock)
        throw new Error(`There are only ${product.stock} of '${id}'. Order fewer.`);
      if (idempotencyKey === undefined)
        throw new Error('The agent does not say which call this is, so it could be made twice.');
      const { number } = orders.place({ key: idempotencyKey, customer, product: id, quantity });
      return `Order ${number}: ${quantity} × ${product.name}, ${euros(quantity * product.price)}. Ready for collection tomorrow.`;
    },
    // By the key, `orders` knows a call that it has seen before.
    { annotations: { idempotentHint: true, destructiveHint: false } },
  );
  const list = tool(
    'list_orders',
    'What the customer has ordered so far',
    {},
    () =>
      orders
        .of(customer)
        .map(({ number, quantity, product }) => `Order ${number}: ${quantity} × ${product}`)
        .join('\n') || 'No orders yet.',
    { annotations: { readOnlyHint: true } },
  );
  return createSdkMcpServer({ name: 'shop', tools: [find, order, list], alwaysLoad: true });
}
