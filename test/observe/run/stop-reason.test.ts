/** Why a run stopped, in the words of the banner (R57; inspector check 14). */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSdkMcpServer, query, tool } from '../../../src/index.js';
import { runOfTape } from '../../../src/observe/run/run-of-tape.js';
import { stopReasonOf } from '../../../src/observe/run/stop-reason.js';
import { readTape, toolUse } from '../../../src/testing/index.js';
import { BACK_ENDS } from '../../support/back-ends.js';
import { collect } from '../../support/real-cli.js';
import { HandTape } from './hand-tape.js';

const EXIT = { code: 0, signal: null };
const started = () => new HandTape().prompt(0).init(100);
const calling = () => started().calls(1000, 'msg_1', { toolu_1: 'stock', toolu_2: 'price' });

describe('a run that has come to its end', () => {
  it('is finished with the reason of the model (R57)', () => {
    const run = started().text(200, 'msg_1', 'Eight.').end(300).exit(400, EXIT).run();
    expect(stopReasonOf(run)).toEqual({ state: 'finished', title: 'Finished: end_turn', details: [] });
  });

  it('names every denial (R57)', () => {
    const denial = { tool_name: 'Bash', tool_use_id: 'toolu_1', tool_input: { command: 'rm' } };
    const run = started()
      .end(300, { permission_denials: [denial] })
      .exit(400, EXIT)
      .run();
    expect(stopReasonOf(run).details).toEqual(['denied: Bash {"command":"rm"}']);
  });

  it('failed, with the error of the API and the last of stderr (R57)', () => {
    const failed = {
      is_error: true,
      result: 'API Error: 529 overloaded',
      api_error_status: 529,
      terminal_reason: 'api_error',
    };
    const tape = started().line({ kind: 'stderr', t: 200, text: 'one\ntwo\n' }).end(300, failed);
    expect(stopReasonOf(tape.exit(400, { code: 1, signal: null }).run())).toEqual({
      state: 'failed',
      title: 'Failed: API Error: 529 overloaded',
      details: ['success (HTTP 529): API Error: 529 overloaded', 'stderr: one', 'stderr: two'],
    });
  });

  it('stopped because of a limit, or of an interrupt (R57)', () => {
    const limit = {
      subtype: 'error_max_turns',
      is_error: true,
      errors: ['Reached 3 turns'],
      terminal_reason: 'max_turns',
    };
    expect(stopReasonOf(started().end(300, limit).exit(400, EXIT).run())).toMatchObject({
      state: 'failed',
      title: 'Failed: Reached 3 turns',
    });
    const aborted = { subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_tools' };
    expect(
      stopReasonOf(started().end(300, aborted).exit(400, { code: 1, signal: null }).run()),
    ).toMatchObject({
      state: 'stopped',
      title: 'Interrupted',
    });
  });
});

describe('a run that was broken off', () => {
  it('names what was open, with its age, when the agent was killed (R57)', () => {
    const run = calling().result(2000, 'toolu_1').exit(4000, { code: null, signal: 'SIGKILL' }).run();
    expect(stopReasonOf(run)).toEqual({
      state: 'failed',
      title: 'Claude Code was killed (SIGKILL) while 1 request was open',
      details: ['open: tool price, for 3.0 s'],
    });
  });

  it('says how the program ended: killed, with an exit code, or nobody knows (R57; inspector check 14)', () => {
    const torn = calling().run();
    expect(stopReasonOf(torn, { state: 'ended', signal: 'SIGKILL', code: null }).title).toBe(
      'The program was killed (SIGKILL) while 2 requests were open',
    );
    expect(stopReasonOf(torn, { state: 'ended', code: 3 })).toMatchObject({
      state: 'failed',
      title: 'The program ended with exit code 3 while 2 requests were open',
    });
    expect(stopReasonOf(torn).title).toMatch(
      /^The recording ends in the middle: .* while 2 requests were open$/,
    );
    const left = calling().exit(5000, null, { program: 0 }).run();
    expect(stopReasonOf(left)).toMatchObject({
      state: 'stopped',
      title: 'The program ended while 2 requests were open',
      details: ['open: tool stock, for 4.0 s', 'open: tool price, for 4.0 s'],
    });
  });

  it('says that not everything was recorded (R57)', () => {
    const run = started().end(300).exit(400, EXIT, { cut: 'it has become too long.' }).run();
    expect(stopReasonOf(run).details).toEqual(['not everything is recorded: it has become too long.']);
  });
});

describe('a run that goes on', () => {
  it('says what it waits for (R57)', () => {
    expect(stopReasonOf(new HandTape().run(false)).title).toBe('Waiting for the first prompt');
    expect(stopReasonOf(started().run(false))).toMatchObject({
      state: 'running',
      details: ['open: model, for 0 ms'],
    });
    const ask = { subtype: 'can_use_tool', tool_name: 'stock', tool_use_id: 'toolu_1', input: {} };
    expect(stopReasonOf(calling().asks(1100, 'a', ask).run(false))).toMatchObject({
      state: 'waiting',
      title: 'Waiting for a permission: stock',
    });
    expect(stopReasonOf(started().end(300).run(false))).toMatchObject({ state: 'finished' });
  });
});

describe.each(BACK_ENDS)('on $name', ({ start, isCli }) => {
  it('a conversation that is closed while a tool runs names that tool (R57)', async () => {
    await using agent = await start([toolUse('mcp__shop__stock'), 'Eight.']);
    const record = join(agent.box.cwd, 'run.tape');
    let entered = (): void => {};
    const isRunning = new Promise<void>((resolve) => {
      entered = resolve;
    });
    const handler = () => {
      entered();
      return new Promise<string>(() => {});
    };
    const shop = createSdkMcpServer({ name: 'shop', tools: [tool('stock', 'How many.', {}, handler)] });
    const options = agent.options({
      record,
      mcpServers: { shop },
      allowedTools: ['mcp__shop'],
      stderr: () => {},
    });
    const running = query({ prompt: 'Go.', options });
    const reading = collect(running);
    await isRunning;
    if (isCli) process.kill(running.pid as number, 'SIGKILL');
    else await running.close();
    await reading;
    const { title, details } = stopReasonOf(runOfTape(readTape(record)));
    expect(title).toMatch(
      isCli ? /^Claude Code was killed \(SIGKILL\) while \d requests? w/ : /The embedded runtime ended/,
    );
    expect(details.join('\n')).toMatch(
      /^open: (tool mcp__shop__stock|mcp_message shop tools\/call stock), for \d/m,
    );
  });
});
