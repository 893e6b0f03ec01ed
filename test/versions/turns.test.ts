/** Several messages, interruptions and the end of a conversation, on versions that say when they are idle and those that do not. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';
import { isOlder } from '../../src/client/launch/cli-versions.js';
import { createSession, type Options, type SDKMessage, type SDKUserMessage } from '../../src/index.js';
import { type ScriptedRequest, type Step, text, toolUse } from '../../src/testing/index.js';
import { collect } from '../support/real-cli.js';
import { scenario } from './support/scenario.js';
import {
  calculator,
  patientTool,
  processesOf,
  resultsOf,
  stage,
  toolResultTexts,
  userMessage,
  withoutServers,
} from './support/stage.js';

/** 2.1.265 does not say when it is idle, 2.1.290 does. */
const MAY_REPORT_STATE = '2.1.266';

for (const [name, firstCalls] of [
  ['two streamed messages with tools; stdin closes after the last result', true],
  ['two streamed messages, a tool only for the second; stdin closes after the last result', false],
] as const) {
  scenario(
    name,
    async (cli) => {
      await using on = await stage(cli, (request) => answerBoth(request, firstCalls));
      const { calls, server } = calculator();
      const events: string[] = [];
      const { messages, error } = await collect(
        on.query(stream('One and one?', 'Two and two?'), {
          mcpServers: { calc: server },
          allowedTools: ['mcp__calc__add'],
          spawnClaudeCodeProcess: watched(events),
        }),
      );
      expect(error).toBeUndefined();
      expect(calls.map(({ a }) => a)).toEqual(firstCalls ? [1, 2] : [2]);
      expect(on.api.requests.flatMap(toolResultTexts)).toEqual(firstCalls ? ['2', '4'] : ['4']);
      const results = resultsOf(messages);
      expect(results.at(-1)).toMatchObject({ subtype: 'success', result: 'Done.', final: true });
      expect(events).toEqual([...results.map(() => 'result'), 'end of input']);
      // A CLI that reports its state gets both at once, and may answer them in one turn.
      if (isOlder(cli.version, MAY_REPORT_STATE)) expect(results).toHaveLength(2);
    },
    [withoutServers],
  );
}

scenario('a session answers turn after turn', async (cli) => {
  await using on = await stage(cli, [text('First.'), text('Second.')]);
  await using session = createSession(on.options());
  expect(await session.ask('One')).toMatchObject({ subtype: 'success', result: 'First.' });
  expect(await session.ask('Two')).toMatchObject({ subtype: 'success', result: 'Second.' });
  expect(on.api.requests.map((request) => request.lastUserText)).toEqual(['One', 'Two']);
});

scenario(
  'interrupt in the middle of a tool; the next message is answered',
  async (cli) => {
    await using on = await stage(cli, [toolUse('mcp__slow__wait'), text('Here I am.')]);
    const slow = patientTool();
    let goOn = (): void => {};
    const interrupted = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    async function* prompts(): AsyncGenerator<SDKUserMessage> {
      yield userMessage('Wait');
      await interrupted;
      yield userMessage('Are you there?');
    }
    const running = on.query(prompts(), {
      mcpServers: { slow: slow.server },
      allowedTools: ['mcp__slow__wait'],
    });
    const outcome = collect(running);
    await slow.begun;
    await running.interrupt();
    await slow.cancelled;
    goOn();
    const { messages, error } = await outcome;
    expect(error).toBeUndefined();
    expect(resultsOf(messages)).toMatchObject([
      { subtype: 'error_during_execution', failure: { kind: 'interrupted' } },
      { subtype: 'success', result: 'Here I am.', final: true },
    ]);
    on.api.assertDone();
  },
  [withoutServers],
);

scenario(
  'leaving the loop in the middle of a tool leaves no process',
  async (cli) => {
    await using on = await stage(cli, [toolUse('mcp__slow__wait'), text('Never said.')]);
    const slow = patientTool();
    const running = on.query('Wait', {
      mcpServers: { slow: slow.server },
      allowedTools: ['mcp__slow__wait'],
    });
    let processes: ReturnType<typeof processesOf> | undefined;
    for await (const message of running) {
      if (!callsTool(message)) continue;
      await slow.begun;
      processes = processesOf(running);
      break;
    }
    await slow.cancelled;
    expect(processes).toBeDefined();
    await processes?.gone();
  },
  [withoutServers],
);

scenario('a conversation is resumed', async (cli) => {
  await using on = await stage(cli, [text('Noted: blue.'), text('It was blue.')]);
  const first = await collect(on.query('My favourite colour is blue'));
  expect(first.error).toBeUndefined();
  const resume = resultsOf(first.messages)[0]?.session_id as string;
  const second = await collect(on.query('Which was it?', { resume }));
  expect(second.error).toBeUndefined();
  expect(resultsOf(second.messages)).toMatchObject([{ subtype: 'success', result: 'It was blue.' }]);
  const told = JSON.stringify(on.api.requests[1]?.body.messages);
  expect(told).toContain('My favourite colour is blue');
  expect(told).toContain('Noted: blue.');
});

/** As a model would: each question is worked on once, whether it comes alone or in the middle of a turn. */
function answerBoth({ body }: ScriptedRequest, firstCalls: boolean): Step {
  const told = JSON.stringify(body.messages);
  if (firstCalls && !told.includes('"a":1')) return toolUse('mcp__calc__add', { a: 1, b: 1 });
  if (!told.includes('Two and two?') || told.includes('"a":2')) return text('Done.');
  return toolUse('mcp__calc__add', { a: 2, b: 2 });
}

async function* stream(...prompts: string[]): AsyncGenerator<SDKUserMessage> {
  for (const prompt of prompts) yield userMessage(prompt);
}

function callsTool(message: SDKMessage): boolean {
  return message.type === 'assistant' && message.message.content.some(({ type }) => type === 'tool_use');
}

/** Starts the CLI as Tenon would, and notes down when results come out and when the input ends. */
function watched(events: string[]): NonNullable<Options['spawnClaudeCodeProcess']> {
  return ({ command, args, cwd, env }) => {
    const child = spawn(command, args, { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.once('finish', () => events.push('end of input'));
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (JSON.parse(line).type === 'result') events.push('result');
    });
    return child;
  };
}
