import { createHash, randomUUID } from 'node:crypto';
import { createSdkMcpServer, tool } from 'tenon';
import { z } from 'zod';

const ALGORITHMS = ['sha256', 'sha512', 'sha3-256', 'blake2b512', 'sha1', 'md5'];

const time = tool(
  'time_in_zone',
  'The time in a time zone, now or at a given moment',
  {
    zone: z.string().describe('an IANA time zone, for example "Asia/Kathmandu"'),
    at: z.iso
      .datetime({ offset: true })
      .optional()
      .describe('a moment such as "2026-01-31T12:00:00Z"; default: now'),
  },
  ({ zone, at }) => timeIn(zone, at === undefined ? new Date() : new Date(at)),
  { annotations: { readOnlyHint: true } },
);

const uuid = tool(
  'uuid',
  'New random UUIDs (version 4)',
  { count: z.number().int().min(1).max(100).default(1).describe('how many') },
  ({ count }) => Array.from({ length: count }, () => randomUUID()).join('\n'),
);

const hash = tool(
  'hash',
  `The hash of a text (UTF-8) with ${ALGORITHMS.join(', ')}`,
  {
    text: z.string().describe('the text'),
    algorithm: z.string().default('sha256').describe('the algorithm'),
    encoding: z.enum(['hex', 'base64']).default('hex').describe('how to encode the hash'),
  },
  ({ text, algorithm, encoding }) => {
    // Only what every build of Node has: what else OpenSSL offers differs between machines.
    if (!ALGORITHMS.includes(algorithm.toLowerCase())) {
      throw new Error(`Unknown algorithm '${algorithm}'. Must be one of: ${ALGORITHMS.join(', ')}`);
    }
    return createHash(algorithm.toLowerCase()).update(text, 'utf8').digest(encoding);
  },
  { annotations: { readOnlyHint: true } },
);

export const utilities = createSdkMcpServer({
  name: 'utilities',
  tools: [time, uuid, hash],
  alwaysLoad: true,
});

/**
 * @param {string} zone
 * @param {Date} moment
 */
function timeIn(zone, moment) {
  const options = /** @type {const} */ ({
    timeZone: zone,
    dateStyle: 'full',
    timeStyle: 'long',
    hourCycle: 'h23',
  });
  try {
    const words = new Intl.DateTimeFormat('en-GB', options).format(moment);
    const offset = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'longOffset' })
      .formatToParts(moment)
      .find(({ type }) => type === 'timeZoneName')?.value;
    return `${words} (${zone}, ${offset})`;
  } catch (error) {
    if (error instanceof RangeError) throw new Error(`Unknown time zone '${zone}'. ${suggestion(zone)}`);
    throw error;
  }
}

/** @param {string} zone */
function suggestion(zone) {
  const wanted = zone.split('/').at(-1)?.replaceAll(' ', '_').toLowerCase() ?? '';
  const near = Intl.supportedValuesOf('timeZone').filter(
    (name) => wanted !== '' && name.toLowerCase().includes(wanted),
  );
  if (near.length > 0) return `Did you mean ${near.slice(0, 5).join(' or ')}?`;
  return 'Give an IANA name such as Europe/Berlin, America/New_York or UTC.';
}
