/** When is everything done, and which result is the last? Recorded conversations are played again, line by line. */
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ResultDelivery } from '../../src/client/conversation/inbox.js';
import { TurnState } from '../../src/client/conversation/turn-state.js';
import type { MessageFrame } from '../../src/protocol/index.js';

interface Recorded {
  dir: 'cli>sdk' | 'sdk>cli';
  line: MessageFrame | '<EOF>';
}

function recording(name: string): Recorded[] {
  const text = readFileSync(new URL(`../fixtures/wire/${name}.jsonl`, import.meta.url), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const nameOf = ({ type, subtype, state }: MessageFrame) => [type, subtype, state].filter(Boolean).join('/');

/** Plays the lines: after which of them is everything done, and what does the consumer see? */
function replay(lines: readonly Recorded[]) {
  const turns = new TurnState();
  const seen: MessageFrame[] = [];
  const results = new ResultDelivery(turns, {
    push: (message) => seen.push(message as unknown as MessageFrame),
  });
  const doneAfter: string[] = [];
  for (const { dir, line } of lines) {
    if (line === '<EOF>') continue;
    if (dir === 'sdk>cli') {
      turns.messageSent();
      continue;
    }
    const wasDone = turns.isDone;
    turns.observe(line);
    results.receive({ ...line }, 0);
    if (turns.isDone && !wasDone) doneAfter.push(nameOf(line));
  }
  results.flush();
  const finals = seen.filter(({ type }) => type === 'result').map(({ final }) => final);
  return { turns, seen, doneAfter, finals };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const IDLE = 'system/session_state_changed/idle';

describe('a recorded conversation with a CLI that reports its state', () => {
  it.each<[string, (boolean | undefined)[]]>([
    ['s01a-one-call', [true]],
    ['s02n-session-state-env', [true]],
    ['s04-sdk-deny-interrupt', [true]],
    ['s05-prompt-block', [true]],
    ['s07-sdk-stream-two-with-tools', [true]],
    ['s07-sdk-string-slow-tool', [true]],
    ['s07-sdk-two-messages-at-once', [false, true]],
    ['s10-api-500', [true]],
    // The subagent that ends later starts a turn of its own (pain 17).
    ['s10-subagent-background', [false, true]],
    ['s10-subagent-foreground', [true]],
    // Idle also between the two: a shell command in the background does not count as work for the CLI (R18).
    ['s15-bash-background-late', [false, true]],
  ])('%s is done when it is idle, and only its last result is final', (name, expected) => {
    const lines = recording(name);
    const { turns, seen, doneAfter, finals } = replay(lines);
    expect(doneAfter).toEqual([IDLE]);
    expect(finals).toEqual(expected);
    expect(finals.filter(Boolean)).toHaveLength(1);
    expect(turns).toMatchObject({ reportsState: true, isDone: true, owesResult: false });
    // Everything that is not for the host alone is passed on, in order.
    const forConsumer = lines.flatMap(({ dir, line }) =>
      dir === 'cli>sdk' && line !== '<EOF>' && line.sdk_host_only !== true ? [nameOf(line)] : [],
    );
    expect(seen.map(nameOf)).toEqual(forConsumer);
  });

  it.each(['s10-subagent-background', 's15-bash-background-late'])(
    '%s is not done a line before its end, wherever one stops to look',
    (name) => {
      const lines = recording(name);
      const end = lines.findLastIndex(({ line }) => line !== '<EOF>' && nameOf(line) === IDLE);
      for (let length = 1; length <= end; length += 1) {
        expect(replay(lines.slice(0, length)).turns.isDone, `after ${length} lines`).toBe(false);
      }
    },
  );
});

/** What a CLI before 2.1.290 would have written: the same lines without the state. */
const withoutState = (lines: readonly Recorded[]) =>
  lines.filter(({ line }) => line === '<EOF>' || line.subtype !== 'session_state_changed');

describe('a recorded conversation with a CLI that does not report its state', () => {
  it.each<[string, number]>([
    ['s01a-one-call', 1],
    ['s04-sdk-deny-interrupt', 1],
    ['s05-prompt-block', 1],
    ['s07-queue-during-tool', 1],
    ['s10-api-500', 1],
    ['s10-subagent-foreground', 1],
    // An interrupted turn, and after it another message.
    ['s06-raw-interrupt', 2],
  ])('%s is done after each result', (name, count) => {
    const { turns, doneAfter, finals } = replay(withoutState(recording(name)));
    expect(doneAfter.map((line) => line.split('/')[0])).toEqual(Array(count).fill('result'));
    expect(finals).toEqual(Array(count).fill(true));
    expect(turns).toMatchObject({ reportsState: false, isDone: true, owesResult: false });
  });

  it('s10-subagent-background is done after the second result: a task still ran at the first (pain 17)', () => {
    const { turns, doneAfter, finals } = replay(withoutState(recording('s10-subagent-background')));
    expect(doneAfter).toEqual(['result/success']);
    expect(turns.results).toBe(2);
    expect(finals).toEqual([false, true]);
  });
});

describe('the state of the turns', () => {
  const system = (subtype: string, fields: object = {}) => ({ type: 'system', subtype, ...fields });

  it('owes a result from the message to the result', () => {
    const turns = new TurnState();
    expect(turns).toMatchObject({ owesResult: false, reportsState: undefined });
    turns.messageSent();
    expect(turns.owesResult).toBe(true);
    turns.observe({ type: 'result' });
    expect(turns).toMatchObject({ owesResult: false, results: 1 });
  });

  it.each<[string, object, boolean]>([
    ['that ended brings a turn', { status: 'completed' }, false],
    ['that failed brings a turn', { status: 'failed' }, false],
    ['that was stopped brings none', { status: 'stopped' }, true],
    ['in the background of the agent itself brings none', { status: 'completed', ambient: true }, true],
  ])('a task %s', (_, fields, done) => {
    const turns = new TurnState();
    turns.messageSent();
    turns.observe(system('init'));
    turns.observe(system('background_tasks_changed', { tasks: [{ task_id: 't' }] }));
    turns.observe({ type: 'result' });
    expect(turns).toMatchObject({ hasBackgroundTasks: true, isDone: false, owesResult: true });
    turns.observe(system('task_notification', { task_id: 't', ...fields }));
    turns.observe(system('background_tasks_changed', { tasks: [] }));
    expect(turns.isDone).toBe(done);
  });

  it('is not changed by the words of a subagent, which belong to its task', () => {
    const turns = new TurnState();
    turns.messageSent();
    turns.observe(system('init'));
    turns.observe(system('background_tasks_changed', { tasks: [{ task_id: 't' }] }));
    turns.observe({ type: 'result' });
    turns.observe({ type: 'assistant', parent_tool_use_id: 'toolu_1' });
    turns.observe(system('task_notification', { task_id: 't', status: 'stopped' }));
    expect(turns.isDone).toBe(true);
    // Words of the agent itself begin a turn.
    turns.observe({ type: 'assistant', parent_tool_use_id: null });
    expect(turns.isDone).toBe(false);
  });

  it('is not held up by tasks that always run', () => {
    const turns = new TurnState();
    turns.messageSent();
    turns.observe(system('background_tasks_changed', { tasks: [{ task_id: 't', ambient: true }] }));
    turns.observe({ type: 'result' });
    expect(turns.isDone).toBe(true);
  });

  it('takes lists that are none for empty', () => {
    const turns = new TurnState();
    turns.observe(system('background_tasks_changed', { tasks: 'none' }));
    expect(turns.hasBackgroundTasks).toBe(false);
  });
});

describe('a result that no line follows', () => {
  it('is delivered as the final one after a moment', () => {
    const turns = new TurnState();
    const seen: unknown[] = [];
    const results = new ResultDelivery(turns, { push: (message) => seen.push(message) });
    turns.observe({ type: 'system', subtype: 'session_state_changed', state: 'running' });
    turns.observe({ type: 'result', subtype: 'success' });
    results.receive({ type: 'result', subtype: 'success', is_error: false }, 0);
    results.receive({ type: 'never_heard_of' }, 0);
    expect(seen).toEqual([]);
    vi.runAllTimers();
    expect(seen).toMatchObject([{ type: 'result', final: true }, { type: 'never_heard_of' }]);
  });

  it('is never delivered after stop()', () => {
    const turns = new TurnState();
    const seen: unknown[] = [];
    const results = new ResultDelivery(turns, { push: (message) => seen.push(message) });
    turns.observe({ type: 'system', subtype: 'session_state_changed', state: 'running' });
    results.receive({ type: 'result', subtype: 'success', is_error: false }, 0);
    results.stop();
    vi.runAllTimers();
    expect(seen).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
