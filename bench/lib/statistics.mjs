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
 * both.
 *
 * @param {readonly number[]} values
 * @param {readonly number[]} floor
 */
export function ratio(values, floor) {
  return median(values.map((value, index) => value / /** @type {number} */ (floor[index])));
}
