/** The order of parallel calls and their results, which hang beside the branch: as the official SDK has it (pain 28). */
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { getSessionMessages } from '../../src/index.js';
import { officialFunctions } from './support.js';

const before = process.env.CLAUDE_CONFIG_DIR;
let config: string;
let official: Awaited<ReturnType<typeof officialFunctions>>;

beforeAll(async () => {
  config = await realpath(await mkdtemp(join(tmpdir(), 'tenon-parallel-')));
  await mkdir(join(config, 'projects', '-work'), { recursive: true });
  process.env.CLAUDE_CONFIG_DIR = config;
  official = await officialFunctions();
});
afterAll(async () => {
  if (before === undefined) delete process.env.CLAUDE_CONFIG_DIR;
  else process.env.CLAUDE_CONFIG_DIR = before;
  await rm(config, { recursive: true, force: true });
});

const CALLS = ['one', 'two', 'three'] as const;

interface Told {
  /** The results in the order of their lines. */
  lines: readonly number[];
  /** The milliseconds at which each result was there. */
  times: readonly number[];
  /** The result that the answer follows. */
  last: number;
}

/** An answer with three calls, their results, and an answer to these. */
async function transcript({ lines, times, last }: Told): Promise<{ sessionId: string; names: object }> {
  const sessionId = randomUUID();
  const [prompt, end] = [randomUUID(), randomUUID()];
  const calls = CALLS.map(() => randomUUID());
  const results = CALLS.map(() => randomUUID());
  const entry = (
    type: string,
    uuid: string,
    parentUuid: string | undefined,
    at: number,
    message: object,
  ) => ({
    type,
    uuid,
    parentUuid: parentUuid ?? null,
    isSidechain: false,
    sessionId,
    cwd: '/work',
    timestamp: new Date(1_790_000_000_000 + at).toISOString(),
    message,
  });
  const entries = [
    entry('user', prompt, undefined, 0, { role: 'user', content: 'Go' }),
    ...CALLS.map((name, index) =>
      entry('assistant', calls[index] as string, calls[index - 1] ?? prompt, 10 + index, {
        id: 'msg_1',
        role: 'assistant',
        content: [{ type: 'tool_use', id: name, name: 'wait', input: {} }],
      }),
    ),
    ...lines.map((index) =>
      entry('user', results[index] as string, calls[index], times[index] as number, {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: CALLS[index], content: 'done' }],
      }),
    ),
    entry('assistant', end, results[last], 100, {
      id: 'msg_2',
      role: 'assistant',
      content: [{ type: 'text', text: 'All came back.' }],
    }),
  ];
  const file = join(config, 'projects', '-work', `${sessionId}.jsonl`);
  await writeFile(file, entries.map((each) => `${JSON.stringify(each)}\n`).join(''));
  const called = CALLS.map((name, index) => [calls[index], `call ${name}`]);
  const answered = CALLS.map((name, index) => [results[index], `result ${name}`]);
  const names = Object.fromEntries([[prompt, 'prompt'], ...called, ...answered, [end, 'end']]);
  return { sessionId, names };
}

const ORDERS = [
  [0, 1, 2],
  [2, 1, 0],
  [1, 0, 2],
];
const TIMES = [
  [20, 30, 40],
  [40, 30, 20],
  [30, 20, 20],
];
const ALL = ORDERS.flatMap((lines) =>
  TIMES.flatMap((times) => [0, 1, 2].map((last): Told => ({ lines, times, last }))),
);

it.each(ALL)('results as lines $lines, at $times ms, and an answer after $last', async (told) => {
  const { sessionId, names } = await transcript(told);
  const order = (messages: readonly { uuid: string }[]) =>
    messages.map(({ uuid }) => (names as Record<string, string>)[uuid]);
  const ours = order(await getSessionMessages(sessionId));
  expect(ours).toHaveLength(8);
  expect(ours).toEqual(order(await official.getSessionMessages(sessionId)));
});
