/** Where a program has registered neither a context manager nor a propagator, what can be joined is joined (R59). */
import * as conventions from '@opentelemetry/semantic-conventions/incubating';
import { describe, expect, it } from 'vitest';
import { createSdkMcpServer, query, tool } from '../../src/index.js';
import { otel } from '../../src/otel/index.js';
import { ATTRIBUTE, METRIC, OPERATION } from '../../src/otel/names.js';
import { toolUse } from '../../src/testing/index.js';
import { ask, BACK_ENDS } from '../support/back-ends.js';
import { fakeCli } from '../support/fake-cli.js';
import { Recorded } from './support.js';

const STOCK = 'mcp__shop__stock';
const answering = (text: string) =>
  createSdkMcpServer({ name: 'shop', tools: [tool('stock', 'How many.', {}, async () => text)] });

describe.each(BACK_ENDS)('without a context manager, the spans of $name', ({ start, isCli }) => {
  it('have their parents, too (R59)', async () => {
    await using agent = await start([toolUse(STOCK), 'Eight.']);
    const recorded = new Recorded();
    const tracer = otel({ ...recorded.providers, agentName: 'clerk' });
    await ask(agent.options({ tracer, mcpServers: { shop: answering('eight') }, allowedTools: [STOCK] }));
    const call = `execute_tool ${STOCK}`;
    expect(recorded.shape()).toBe(
      isCli ? `invoke_agent clerk(${call})` : `invoke_agent clerk(chat + ${call} + chat)`,
    );
  });

  it('carry content of bounded length: a backend would refuse the rest with it (R59)', async () => {
    await using agent = await start([toolUse(STOCK), 'Eight.']);
    const recorded = new Recorded();
    const tracer = otel({ ...recorded.providers, content: { tools: true } });
    const shop = answering('x'.repeat(40_000));
    await ask(agent.options({ tracer, mcpServers: { shop }, allowedTools: [STOCK] }));
    const result = String(recorded.span(`execute_tool ${STOCK}`).attributes['gen_ai.tool.call.result']);
    expect(result).toMatch(/^.{32768}… \(\d+ characters more\)$/);
    expect(JSON.stringify(recorded.spans().map(({ attributes }) => attributes))).not.toContain('Eight.');
  });
});

describe('without a propagator, the agent', () => {
  it('is told of the span as W3C does it (R59)', async () => {
    const recorded = new Recorded();
    const run = query({
      prompt: 'Go.',
      options: { tracer: otel(recorded.providers), pathToClaudeCodeExecutable: fakeCli('reports-trace') },
    });
    const result = await run.done;
    const { traceId, spanId } = recorded.span('invoke_agent').spanContext();
    expect(JSON.parse('result' in result ? result.result : '')).toEqual({
      TRACEPARENT: `00-${traceId}-${spanId}-01`,
    });
  });

  it('is told nothing if spans are not recorded: there is no provider (R59)', async () => {
    const run = query({
      prompt: 'Go.',
      options: { tracer: otel(), pathToClaudeCodeExecutable: fakeCli('reports-trace') },
    });
    expect(await run.done).toMatchObject({ result: '{}' });
  });
});

describe('the names of attributes, operations and metrics', () => {
  it('are those of the conventions, in the release that names.ts says (R59)', () => {
    const known = new Set<unknown>(Object.values(conventions));
    const unknown = [ATTRIBUTE, OPERATION, METRIC]
      .flatMap((names) => Object.values<string>(names))
      .filter((name) => !known.has(name));
    // Newer than the package.
    expect(unknown.sort()).toEqual(['gen_ai.execute_tool.duration', 'gen_ai.invoke_agent.duration']);
  });
});
