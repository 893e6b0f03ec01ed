/**
 * What shows a thing: an element, and a way to bring it up to date.
 *
 * @template Thing
 * @typedef {{ node: HTMLElement, update(thing: Thing): void }} View
 */

/** @type {WeakMap<HTMLElement, Map<string, View<any>>>} */
const known = new WeakMap();

/**
 * Makes the children of a place show a list of things. Those that are shown already stay what they are: what somebody has
 * typed, unfolded or selected in them stays too.
 *
 * @template Thing
 * @param {HTMLElement} place
 * @param {readonly Thing[]} things
 * @param {(thing: Thing, index: number) => string} keyOf
 * @param {(thing: Thing) => View<Thing>} make
 */
export function sync(place, things, keyOf, make) {
  const before = known.get(place) ?? new Map();
  /** @type {Map<string, View<Thing>>} */
  const after = new Map();
  things.forEach((thing, index) => {
    const key = keyOf(thing, index);
    const view = before.get(key) ?? make(thing);
    view.update(thing);
    after.set(key, view);
    if (place.children[index] !== view.node) place.insertBefore(view.node, place.children[index] ?? null);
  });
  for (const [key, { node }] of before) if (!after.has(key)) node.remove();
  known.set(place, after);
}
