/** A run takes whatever lines come: nothing in a tape makes it throw (R57). */
import { expect, it } from 'vitest';
import { compareRuns } from '../../../src/observe/run/compare.js';
import { contextOf, requestsOf } from '../../../src/observe/run/context.js';
import { costOf } from '../../../src/observe/run/cost.js';
import { funnelOf, funnelsOf } from '../../../src/observe/run/funnel.js';
import { messagesOf } from '../../../src/observe/run/messages.js';
import { otlpOf } from '../../../src/observe/run/otlp.js';
import { Run } from '../../../src/observe/run/run.js';
import { stopReasonOf } from '../../../src/observe/run/stop-reason.js';
import { summaryText, whyText } from '../../../src/observe/run/text.js';
import { timelineOf } from '../../../src/observe/run/timeline.js';
import { totalsOf } from '../../../src/observe/run/totals.js';
import { wireRowsOf } from '../../../src/observe/run/wire.js';
import type { PlayedLine, TapeHead } from '../../../src/testing/index.js';
import { AGENT_FRAMES, HOST_FRAMES, mutated } from '../../support/mutated-frames.js';
import fc from '../../support/property.js';
import { HEAD } from './hand-tape.js';

type Json = Record<string, unknown>;

/** The other lines of tapes, to be mutated as frames are. */
const OTHER_LINES: readonly Json[] = [
  {
    kind: 'request',
    t: 1,
    id: 1,
    request: {
      model: 'm',
      system: [{ text: 's' }],
      tools: [{ name: 'Read' }],
      messages: [{ role: 'user', content: 'x' }],
    },
  },
  {
    kind: 'answer',
    t: 2,
    id: 1,
    events: [{ type: 'message_start', message: { id: 'm', usage: { input_tokens: 1 } } }],
    error: { message: 'no' },
  },
  {
    kind: 'exchange',
    t: 3,
    began: 1,
    id: 1,
    messageId: 'm',
    request: { tools: [{ name: 'mcp__s__echo', defer_loading: true }] },
    response: { id: 'm', content: [] },
  },
  {
    kind: 'span',
    t: 4,
    span: {
      name: 'claude_code.tool',
      traceId: 't',
      spanId: 's',
      start: 1,
      end: 2,
      attributes: { tool_use_id: 'u' },
    },
  },
  {
    kind: 'span',
    t: 4,
    span: { name: 'claude_code.llm_request', start: 1, end: 2, attributes: { 'gen_ai.response.id': 'm' } },
  },
  { kind: 'stderr', t: 5, text: 'x' },
  { kind: 'dropped', t: 6, dropped: { reason: 'r' } },
  { kind: 'input-end', t: 7 },
  { kind: 'end', t: 8, agent: { code: 1, signal: null }, totals: {}, cut: 'c' },
];
const KINDS = OTHER_LINES.map(({ kind }) => kind);

const frames = fc
  .tuple(mutated([...AGENT_FRAMES, ...HOST_FRAMES]), fc.constantFrom('>', '<'), fc.nat(5000))
  .map(([frame, direction, t]): Json => ({ kind: 'frame', n: t + 1, t, direction, frame }));
/** Readers of tapes pass only kinds that they know. */
const others = mutated(OTHER_LINES).filter(({ kind }) => KINDS.includes(kind));
const runs = fc
  .record({
    head: mutated([
      { ...HEAD, options: { mcpServers: ['s'], disallowedTools: ['mcp__s'], tools: ['Read'] } },
    ]),
    lines: fc.array(fc.oneof({ weight: 6, arbitrary: frames }, { weight: 1, arbitrary: others }), {
      maxLength: 40,
    }),
    isOver: fc.boolean(),
  })
  .map(({ head, lines, isOver }) => {
    const run = new Run(head as unknown as TapeHead);
    for (const line of lines) run.add(line as unknown as PlayedLine);
    if (isOver) run.close();
    return run;
  });

it('every view of any lines is made without a throw, and holds to its shape (R57)', () => {
  fc.assert(
    fc.property(runs, runs, (run, other) => {
      const timeline = timelineOf(run);
      const ids = timeline.spans.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      for (const { start, end } of timeline.spans) expect(end === undefined || end >= start).toBe(true);
      expect(ids).toEqual(expect.arrayContaining([...timeline.criticalPath]));
      for (const ms of Object.values(timeline.criticalMs)) expect(ms).toBeGreaterThanOrEqual(0);
      for (const funnel of [...funnelsOf(run), funnelOf(run, 'echo')]) {
        expect(funnel.steps).toHaveLength(9);
        expect(whyText(funnel, 80).every((line) => typeof line === 'string')).toBe(true);
      }
      expect(wireRowsOf(run)).toHaveLength(run.lines.length);
      messagesOf(run);
      stopReasonOf(run, { state: 'ended', code: null, signal: 'SIGKILL' });
      stopReasonOf(run);
      for (const { index } of requestsOf(run)) contextOf(run, index);
      costOf(run);
      totalsOf(run);
      compareRuns(run, other);
      JSON.stringify(otlpOf(run));
      summaryText(run, 80);
    }),
    { numRuns: 1000 },
  );
});

it('a view is made once for the same lines, and again when there are more (R57)', () => {
  const run = new Run(HEAD);
  run.add({
    kind: 'frame',
    n: 1,
    t: 0,
    direction: '>',
    frame: { type: 'user', message: { content: 'Go.' } },
  });
  const before = timelineOf(run);
  expect(timelineOf(run)).toBe(before);
  run.add({ kind: 'input-end', t: 10 });
  expect(timelineOf(run)).not.toBe(before);
});
