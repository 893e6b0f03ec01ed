/** A conversation is recorded to one file, on both back ends, and its frames can be played again (R56). */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSdkMcpServer, type Frame, type Options, tool } from '../../src/index.js';
import { readTape, replayTape, toolUse } from '../../src/testing/index.js';
import { ask, BACK_ENDS } from '../support/back-ends.js';

const STOCK = 'mcp__shop__stock';
const shop = (answer = 'eight') =>
  createSdkMcpServer({ name: 'shop', tools: [tool('stock', 'How many.', {}, async () => answer)] });

interface Seen {
  direction: string;
  frame: Frame;
}

function watch(): { seen: Seen[]; onFrame: NonNullable<Options['onFrame']> } {
  const seen: Seen[] = [];
  return {
    seen,
    onFrame: (frame, { direction }) =>
      void seen.push({
        direction: direction === 'sent' ? '>' : '<',
        frame: JSON.parse(JSON.stringify(frame)),
      }),
  };
}

const framesOf = (file: string) =>
  readTape(file).lines.flatMap((line) =>
    line.kind === 'frame' ? [{ direction: line.direction, frame: line.frame }] : [],
  );

describe.each(BACK_ENDS)('a tape of $name', ({ start, isCli }) => {
  it('has every frame, in order, and the end with its totals (R56)', async () => {
    await using agent = await start([toolUse(STOCK), 'Eight.']);
    const file = join(agent.box.cwd, 'run.tape');
    const { seen, onFrame } = watch();
    const options = agent.options({
      record: file,
      onFrame,
      mcpServers: { shop: shop() },
      allowedTools: [STOCK],
      stderr: () => {},
    });
    const { error } = await ask(options);
    expect(error).toBeUndefined();
    const tape = readTape(file);
    expect(framesOf(file)).toEqual(seen);
    expect(tape.head).toMatchObject({
      tape: 1,
      backEnd: isCli ? 'cli' : 'embedded',
      options: { record: '<string>', mcpServers: ['shop'], allowedTools: [STOCK], onFrame: '<function>' },
    });
    const received = seen.filter(({ direction }) => direction === '<').length;
    expect(tape.end).toMatchObject({
      agent: { code: 0, signal: null },
      totals: { received, sent: seen.length - received, results: 1, requests: 2 },
    });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await readFile(file, 'utf8')).endsWith('}\n')).toBe(true);
  });

  it('replays against the same program without the agent: same frames, tools called again (R56)', async () => {
    await using agent = await start([toolUse(STOCK), 'Eight.']);
    const file = join(agent.box.cwd, 'run.tape');
    const common = { mcpServers: { shop: shop() }, allowedTools: [STOCK] };
    const recorded = await ask(agent.options({ record: file, ...common }));
    const runtime = replayTape(file);
    const { seen, onFrame } = watch();
    const calls: string[] = [];
    const again = await ask({
      ...common,
      runtime,
      onFrame,
      toolMiddleware: [
        async (call, next) => {
          calls.push(call.toolName);
          return next();
        },
      ],
    });
    expect(again.error).toBeUndefined();
    expect(again.messages).toEqual(recorded.messages);
    expect(calls).toEqual([STOCK]);
    expect(runtime.differences).toEqual([]);
    expect(seen).toEqual(framesOf(file));
  });
});
