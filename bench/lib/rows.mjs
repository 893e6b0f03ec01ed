// @ts-check
/** From measurements to what a table shows. */
import { median, ratio } from './statistics.mjs';

/**
 * @typedef {import('../cases.mjs').Case} Case
 * @typedef {import('../cases.mjs').Metric} Metric
 *
 * @typedef {object} Row
 * @property {string} name of the case
 * @property {string} title
 * @property {Metric} metric
 * @property {Record<string, { median: number, least: number, most: number }>} bySubject
 * @property {number | undefined} ratio Tenon to the floor, with a recording to without, or a host to bare queries
 * @property {Record<string, number | undefined>} toBase of the other subjects, where the case has a base
 * @property {string} goal
 * @property {boolean | undefined} met
 */

/**
 * @param {readonly Case[]} cases
 * @param {import('./measure.mjs').Measured} measured
 * @returns {Row[]}
 */
export function rows(cases, measured) {
  return cases.flatMap((each) => each.metrics.map((metric) => row(each, metric, measured)));
}

/**
 * @param {Case} each
 * @param {Metric} metric
 * @param {import('./measure.mjs').Measured} measured
 * @returns {Row}
 */
function row(each, metric, measured) {
  /** @param {string} subject */
  const series = (subject) =>
    (measured.get(each.name)?.get(subject) ?? []).map((numbers) =>
      scaled(numbers[metric.key] ?? Number.NaN, metric),
    );
  const bySubject = Object.fromEntries(
    each.subjects.map((subject) => {
      const values = series(subject);
      return [subject, { median: median(values), least: Math.min(...values), most: Math.max(...values) }];
    }),
  );
  const hasFloor = each.subjects.includes('floor');
  const toFloor = hasFloor ? ratio(series('tenon'), series('floor')) : undefined;
  const isRecorded = each.subjects.includes('recorded');
  const toUnrecorded = isRecorded ? ratio(series('recorded'), series('tenon')) : undefined;
  const isHosted = each.subjects.includes('bare');
  const toBare = isHosted ? ratio(series('host'), series('bare')) : undefined;
  const own = bySubject.tenon ?? bySubject.runtime ?? bySubject['tenon-runtime'] ?? bySubject.host;
  return {
    name: each.name,
    title: metric.title,
    metric,
    bySubject,
    ratio: toFloor ?? toUnrecorded ?? toBare,
    toBase: Object.fromEntries(
      each.subjects
        .filter((subject) => each.base !== undefined && subject !== each.base)
        .map((subject) => [subject, ratio(series(subject), series(each.base ?? ''))]),
    ),
    ...judged(metric, toFloor ?? toUnrecorded ?? toBare, own?.median, bySubject.claude?.median),
  };
}

/** @param {number} value @param {Metric} metric */
function scaled(value, { unit }) {
  return unit === 'µs' ? value * 1000 : value;
}

/**
 * @param {Metric} metric
 * @param {number | undefined} toFloor
 * @param {number | undefined} value
 * @param {number | undefined} claude
 */
function judged(metric, toFloor, value, claude) {
  const { atMost, atLeast, limit, least, timesLess, timesUnrecorded, timesBare, unit } = metric;
  if (timesUnrecorded !== undefined) {
    return { goal: `≤ ${timesUnrecorded} ×`, met: (toFloor ?? Number.NaN) <= timesUnrecorded };
  }
  if (timesBare !== undefined) {
    return { goal: `≤ ${timesBare} × bare`, met: (toFloor ?? Number.NaN) <= timesBare };
  }
  if (least !== undefined) return { goal: `≥ ${shown(least, unit)}`, met: (value ?? Number.NaN) >= least };
  if (timesLess !== undefined) {
    const times = (claude ?? Number.NaN) / (value ?? Number.NaN);
    return { goal: `${timesLess} × less`, met: times >= timesLess };
  }
  if (atMost !== undefined) return { goal: `≤ ${atMost} × floor`, met: (toFloor ?? Number.NaN) <= atMost };
  if (atLeast !== undefined) return { goal: `≥ ${atLeast} × floor`, met: (toFloor ?? Number.NaN) >= atLeast };
  if (limit !== undefined) return { goal: `≤ ${limit} ${unit}`, met: (value ?? Number.NaN) <= limit };
  return { goal: '', met: undefined };
}

/** @param {number} value @param {string} unit */
export function shown(value, unit) {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : Math.abs(value) >= 1 ? 2 : 3;
  const number = value.toLocaleString('en-US', { maximumFractionDigits: digits, minimumFractionDigits: 0 });
  return unit === '/s' ? `${number}/s` : `${number} ${unit}`;
}
