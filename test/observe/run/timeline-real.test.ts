/** The timeline of real conversations, on both back ends (R57). */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSdkMcpServer, type Options, tool } from '../../../src/index.js';
import { runOfTape } from '../../../src/observe/run/run-of-tape.js';
import { timelineOf } from '../../../src/observe/run/timeline.js';
import type { Timeline } from '../../../src/observe/run/views.js';
import { readTape, type Script, toolUse, toolUses } from '../../../src/testing/index.js';
import { ask, BACK_ENDS } from '../../support/back-ends.js';

describe.each(BACK_ENDS)('on $name', ({ start }) => {
  async function recorded(script: Script, options: Options): Promise<Timeline> {
    await using agent = await start(script);
    const record = join(agent.box.cwd, 'run.tape');
    const { error } = await ask(agent.options({ stderr: () => {}, ...options, record }));
    expect(error).toBeUndefined();
    const timeline = timelineOf(runOfTape(readTape(record)));
    const turns = timeline.spans.filter(({ kind }) => kind === 'turn');
    const whole = turns.reduce((sum, { start: from, end = from }) => sum + end - from, 0);
    const told = Object.values(timeline.criticalMs).reduce((sum, each) => sum + each, 0);
    expect(told).toBeCloseTo(whole, 3);
    return timeline;
  }

  it('of tools that run side by side, the one that ended last is on the critical path (R57)', async () => {
    let fastIsDone = (): void => {};
    const fastEnded = new Promise<void>((resolve) => {
      fastIsDone = resolve;
    });
    const readOnly = { annotations: { readOnlyHint: true } };
    const fast = tool('fast', 'Fast.', {}, async () => 'fast', readOnly);
    const slow = tool('slow', 'Slow.', {}, async () => fastEnded.then(() => 'slow'), readOnly);
    const timeline = await recorded(
      [toolUses([{ name: 'mcp__s__slow' }, { name: 'mcp__s__fast' }]), 'Done.'],
      {
        mcpServers: { s: createSdkMcpServer({ name: 's', tools: [fast, slow] }) },
        allowedTools: ['mcp__s'],
        // Not before the agent has the answer of the fast one.
        onFrame: (frame, { direction }) => {
          if (direction === 'sent' && JSON.stringify(frame).includes('"text":"fast"'))
            setImmediate(fastIsDone);
        },
      },
    );
    const path = timeline.spans
      .filter(({ id }) => timeline.criticalPath.includes(id))
      .map(({ kind, name }) => [kind, name]);
    const model = timeline.spans.find(({ kind }) => kind === 'model')?.name;
    expect(path).toEqual([
      ['model', model],
      ['tool', 'mcp__s__slow'],
      ['model', model],
    ]);
  });

  it('a permission belongs to the call that waits for it, and a hook to its own (R57)', async () => {
    const stock = tool('stock', 'How many.', {}, async () => 'eight');
    const { spans } = await recorded([toolUse('mcp__s__stock'), 'Done.'], {
      mcpServers: { s: createSdkMcpServer({ name: 's', tools: [stock] }) },
      canUseTool: async (_, input) => ({ behavior: 'allow', updatedInput: input }),
      hooks: { PreToolUse: [{ hooks: [async () => ({})] }] },
    });
    const call = spans.find(({ kind }) => kind === 'tool');
    expect(call).toMatchObject({
      name: 'mcp__s__stock',
      status: 'ok',
      facts: { handlerMs: expect.any(Number) },
    });
    expect(spans.filter(({ parent }) => parent === call?.id)).toMatchObject([
      { kind: 'hook', name: 'PreToolUse', status: 'ok' },
      { kind: 'person', name: 'mcp__s__stock', status: 'ok', facts: { decision: 'allow' } },
    ]);
  });

  it('a subagent holds its own requests and calls (R57)', async () => {
    const look = tool('look', 'Looks.', {}, async () => 'looked');
    const order = { description: 'look', prompt: 'LOOK', subagent_type: 'helper', run_in_background: false };
    const script: Script = (request) => {
      const sent = JSON.stringify(request.body.messages);
      const isHelper = sent.includes('LOOK') && !sent.includes('MAIN');
      if (isHelper) return sent.includes('tool_result') ? 'Seen.' : toolUse('mcp__s__look');
      return sent.includes('tool_result') ? 'Done.' : toolUse('Agent', order);
    };
    await using agent = await start(script);
    const record = join(agent.box.cwd, 'run.tape');
    const options: Options = {
      record,
      mcpServers: { s: createSdkMcpServer({ name: 's', tools: [look] }) },
      allowedTools: ['mcp__s', 'Agent'],
      agents: { helper: { description: 'Looks at things.', prompt: 'You look.', tools: ['mcp__s__look'] } },
      stderr: () => {},
    };
    const { error } = await ask(agent.options(options), 'MAIN');
    expect(error).toBeUndefined();
    const { spans } = timelineOf(runOfTape(readTape(record)));
    const helper = spans.find(({ kind }) => kind === 'subagent');
    expect(helper).toMatchObject({ name: 'helper', parent: 'turn:1', status: 'ok' });
    expect(
      spans
        .filter(({ parent }) => parent === helper?.id)
        .map(({ kind, name }) => (kind === 'tool' ? name : kind)),
    ).toEqual(['model', 'mcp__s__look', 'model']);
    expect(spans.filter(({ kind, parent }) => kind === 'model' && parent === 'turn:1')).toHaveLength(2);
  });
});
