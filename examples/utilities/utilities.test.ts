import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { backends, callTools, play } from '../shared/testing.js';
import { example } from './example.mjs';

const call = (name: string, input: Record<string, unknown>) => ({ name: `mcp__utilities__${name}`, input });
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe.each(backends)('the utilities on %s (R38)', (backend) => {
  it('tell the time, hash and create a UUID; an error tells the model how to correct its call', async () => {
    const { calls, answer } = await play(example, backend);
    expect(calls.map(({ tool, isError }) => [tool, isError])).toEqual([
      ['time_in_zone', false],
      ['time_in_zone', true],
      ['hash', false],
      ['uuid', false],
      ['time_in_zone', false],
    ]);
    expect(calls[0]?.text).toContain('GMT+05:45');
    expect(calls[1]?.text).toContain("Unknown time zone 'Honolulu'. Did you mean Pacific/Honolulu?");
    expect(calls[2]?.text).toBe(createHash('sha256').update('tenon').digest('hex'));
    expect(calls[3]?.text).toMatch(UUID);
    expect(answer).toContain('GMT-10:00');
  });

  it('know summer time, any zone, every algorithm and both encodings', async () => {
    const algorithms = ['sha256', 'SHA512', 'sha3-256', 'blake2b512', 'sha1', 'md5'];
    const outcomes = await callTools(example, backend, [
      call('time_in_zone', { zone: 'Europe/Berlin', at: '2026-07-01T12:00:00Z' }),
      call('time_in_zone', { zone: 'Europe/Berlin', at: '2026-01-01T12:00:00Z' }),
      call('time_in_zone', { zone: 'Pacific/Kiritimati', at: '2026-01-01T12:00:00+02:00' }),
      call('uuid', { count: 3 }),
      ...algorithms.map((algorithm) => call('hash', { text: 'Grüße', algorithm, encoding: 'base64' })),
    ]);
    expect(outcomes.filter(({ isError }) => isError)).toEqual([]);
    const [summer, winter, island, uuids, ...hashes] = outcomes.map(({ text }) => text);
    expect(summer).toMatch(/14:00:00.*\+02:00/);
    expect(winter).toMatch(/13:00:00.*\+01:00/);
    expect(island).toMatch(/Friday,? 2 January 2026.*00:00:00.*\+14:00/);
    const each = uuids?.split('\n') ?? [];
    expect(new Set(each).size).toBe(3);
    for (const uuid of each) expect(uuid).toMatch(UUID);
    expect(hashes).toEqual(
      algorithms.map((algorithm) => createHash(algorithm.toLowerCase()).update('Grüße').digest('base64')),
    );
  });

  it('answer bad input of each tool with an error that says what is wrong', async () => {
    const outcomes = await callTools(example, backend, [
      call('time_in_zone', { zone: 'Mars/Olympus_Mons' }),
      call('time_in_zone', { zone: '' }),
      call('time_in_zone', { zone: 'UTC', at: 'tomorrow' }),
      call('uuid', { count: 0 }),
      call('uuid', { count: 1e9 }),
      call('hash', { text: 'a', algorithm: 'crc32' }),
      call('hash', { text: 'a', encoding: 'rot13' }),
      call('hash', {}),
    ]);
    expect(outcomes.map(({ isError }) => isError)).toEqual(outcomes.map(() => true));
    expect(outcomes.map(({ text }) => text)).toEqual([
      expect.stringContaining("Unknown time zone 'Mars/Olympus_Mons'. Give an IANA name"),
      expect.stringContaining("Unknown time zone ''"),
      expect.stringMatching(/\bat\b/),
      expect.stringMatching(/count/),
      expect.stringMatching(/count/),
      expect.stringContaining("Unknown algorithm 'crc32'. Must be one of: sha256, sha512"),
      expect.stringMatching(/encoding/),
      expect.stringMatching(/text/),
    ]);
  });
});
