// @ts-check

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [upper = Number.NaN, lower = upper] = [sorted[middle], sorted[middle - 1]];
  return sorted.length % 2 === 1 ? upper : (lower + upper) / 2;
}

/**
 * The ratio of two series that were measured in turns: of each pair, so that what the machine did at the time is in
 * both. There is none where the noise is as large as what is measured, as with the heap of a single query.
 *
 * @param {readonly number[]} values
 * @param {readonly number[]} floor
 */
export function ratio(values, floor) {
  if ([...values, ...floor].some((value) => value <= 0)) return undefined;
  return median(values.map((value, index) => value / /** @type {number} */ (floor[index])));
}
