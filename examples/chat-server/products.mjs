/**
 * @typedef {object} Product
 * @property {string} id
 * @property {string} name
 * @property {number} price in euros
 * @property {number} stock
 * @property {string} about
 */

/** What the shop has. @type {readonly Product[]} */
export const PRODUCTS = [
  {
    id: 'claw-hammer',
    name: 'Claw hammer',
    price: 18.5,
    stock: 34,
    about: 'Forged head of 450 g, handle of ash. For nails, and for getting them out again.',
  },
  {
    id: 'rubber-mallet',
    name: 'Rubber mallet',
    price: 12.9,
    stock: 11,
    about: 'Leaves no marks: for paving stones, tent pegs and furniture.',
  },
  {
    id: 'sledgehammer',
    name: 'Sledgehammer',
    price: 39,
    stock: 3,
    about: 'Five kilograms, fibreglass handle.',
  },
  {
    id: 'wood-screws',
    name: 'Wood screws 4 × 40',
    price: 7.9,
    stock: 210,
    about: 'A box of 200, galvanised, with star drive.',
  },
  {
    id: 'spirit-level',
    name: 'Spirit level',
    price: 24,
    stock: 8,
    about: 'Aluminium, 60 cm, exact to half a millimetre per metre.',
  },
  {
    id: 'tape-measure',
    name: 'Tape measure',
    price: 9.5,
    stock: 52,
    about: 'Five metres, with a lock that holds.',
  },
  {
    id: 'pruning-shears',
    name: 'Pruning shears',
    price: 27,
    stock: 14,
    about: 'For the garden: branches of up to 22 mm. Blades can be exchanged.',
  },
  {
    id: 'watering-can',
    name: 'Watering can',
    price: 21,
    stock: 6,
    about: 'For the garden: nine litres, zinc, with a fine rose.',
  },
  {
    id: 'led-lantern',
    name: 'LED lantern',
    price: 31,
    stock: 17,
    about: 'For camping and power cuts: burns for 60 hours.',
  },
  // What is in a database was written by somebody. The page must show it, and nothing else.
  {
    id: 'doormat',
    name: 'Doormat "<b>Hello</b>"',
    price: 16,
    stock: 4,
    about: 'For people who write web pages. <img src="x" onerror="document.title = \'broken into\'">',
  },
];

/**
 * The products that one of the words fits, those that fit best first.
 *
 * @param {string} words
 * @returns {Product[]}
 */
export function findProducts(words) {
  const wanted = words
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 2)
    // "hammers" finds a hammer.
    .map((word) => word.replace(/(?<=..)s$/, ''));
  const score = (/** @type {Product} */ { id, name, about }) => {
    const [first, rest] = [`${id} ${name}`.toLowerCase(), about.toLowerCase()];
    return wanted.reduce(
      (sum, word) => sum + (first.includes(word) ? 3 : 0) + (rest.includes(word) ? 1 : 0),
      0,
    );
  };
  return PRODUCTS.map((product) => ({ product, score: score(product) }))
    .filter((each) => each.score > 0)
    .sort((left, right) => right.score - left.score)
    .map(({ product }) => product);
}

/** @param {number} amount */
export const euros = (amount) => `${amount.toFixed(2)} €`;
