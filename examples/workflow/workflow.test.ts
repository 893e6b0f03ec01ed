import { describe, expect, it } from 'vitest';
import { backends, callTools, play } from '../shared/testing.js';
import { example } from './example.mjs';
import { startRates } from './servers.mjs';

describe.each(backends)('the workflow on %s (R40)', (backend) => {
  it('uses a stdio server, a remote HTTP server and a server of this process in one prompt', async () => {
    let report = '';
    const open: typeof example.open = async (surroundings) => {
      const opened = await example.open(surroundings);
      return {
        ...opened,
        conclude: async (result) => {
          report = (await opened.conclude?.(result)) ?? '';
          return report;
        },
      };
    };
    const { calls, answer } = await play({ ...example, open }, backend);
    expect(calls.map(({ tool, isError }) => [tool, isError])).toEqual([
      ['read_text_file', false],
      ['evaluate', false],
      ['convert', false],
      ['write_file', false],
    ]);
    expect(calls[0]?.text).toContain('1002,mortise gauge,2,42.90');
    expect(calls[1]?.text).toBe('396.3');
    expect(calls[2]?.text).toBe('435.93');
    expect(report).toBe('report.txt:\nTotal: 396.3 EUR, 435.93 USD');
    expect(answer).toContain('435.93 USD');
  });

  it('answers bad input of each server with an error that says what is wrong', async () => {
    const outcomes = await callTools(example, backend, [
      { name: 'mcp__files__read_text_file', input: { path: '/etc/passwd' } },
      { name: 'mcp__files__read_text_file', input: { path: 'nothing.csv' } },
      { name: 'mcp__files__write_file', input: { path: '../escaped.txt', content: 'x' } },
      { name: 'mcp__rates__convert', input: { amount: 1, from: 'EUR', to: 'XXX' } },
      { name: 'mcp__rates__convert', input: { amount: 'much', from: 'EUR', to: 'USD' } },
      { name: 'mcp__calculator__evaluate', input: { expression: '1 +' } },
    ]);
    expect(outcomes.map(({ isError }) => isError)).toEqual([true, true, true, true, true, true]);
    expect(outcomes.map(({ text }) => text)).toEqual([
      expect.stringMatching(/denied|outside/i),
      expect.stringMatching(/ENOENT|no such file|does not exist/i),
      expect.stringMatching(/denied|outside/i),
      expect.stringContaining("Unknown currency 'XXX'. Must be one of: EUR, USD, GBP, JPY"),
      expect.stringContaining('amount'),
      expect.stringContaining('ends too soon'),
    ]);
  });
});

it('leaves no process of the remote server behind', async () => {
  const rates = await startRates();
  const { status } = await fetch(rates.url, { method: 'DELETE' });
  expect(status).toBeGreaterThanOrEqual(400);
  await rates.close();
  await expect(fetch(rates.url)).rejects.toThrow();
});
