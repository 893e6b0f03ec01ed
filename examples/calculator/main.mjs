// The calculator agent: four functions of this process are the tools of a real Claude Code CLI. The model behind it
// is a script on 127.0.0.1, so the program needs no key and no network.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { styleText } from 'node:util';
import { query } from 'tenon';
import { scriptedMessagesApi, text, toolUse, toolUses } from 'tenon/testing';
import { calculator } from './tools.mjs';

const PROMPT = 'What is (15 + 27) * 3, what is 100 - 58, and what is 7 divided by zero?';

const TURNS = [
  toolUses([
    { name: 'mcp__calculator__add', input: { a: 15, b: 27 } },
    { name: 'mcp__calculator__subtract', input: { a: 100, b: 58 } },
    { name: 'mcp__calculator__divide', input: { a: 7, b: 0 } },
  ]),
  (request) => toolUse('mcp__calculator__multiply', { a: Number(resultText(request.toolResults[0])), b: 3 }),
  (request) =>
    text(`(15 + 27) * 3 is ${resultText(request.toolResults[0])}; 100 - 58 is 42; nothing divides by zero.`),
];

const started = performance.now();
const colour = (style, words) => (process.stdout.isTTY ? styleText(style, words) : words);
const print = (label, words) => {
  const seconds = ((performance.now() - started) / 1000).toFixed(2);
  console.log(`${colour('dim', `${seconds.padStart(6)} s`)}  ${colour('bold', label.padEnd(9))} ${words}`);
};

const home = await mkdtemp(join(tmpdir(), 'tenon-calculator-'));
const api = await scriptedMessagesApi((request, index) => {
  const turn = TURNS[index];
  return typeof turn === 'function' ? turn(request) : turn;
});

try {
  print('prompt', PROMPT);
  const calls = new Map();
  const agent = query({
    prompt: PROMPT,
    options: {
      mcpServers: { calculator },
      allowedTools: ['mcp__calculator__*'],
      cwd: home,
      env: { ...api.env(), HOME: home, CLAUDE_CONFIG_DIR: join(home, '.claude') },
    },
  });
  for await (const message of agent) {
    if (message.type === 'assistant') {
      for (const block of message.message.content) {
        if (block.type === 'tool_use') {
          calls.set(block.id, { name: block.name, at: performance.now() });
          print('call', `${block.name.split('__').at(-1)}(${JSON.stringify(block.input)})`);
        } else if (block.type === 'text') {
          print('answer', colour('green', block.text));
        }
      }
    } else if (message.type === 'user' && Array.isArray(message.message.content)) {
      for (const block of message.message.content) {
        if (block.type !== 'tool_result') continue;
        const call = calls.get(block.tool_use_id);
        const words = resultText(block);
        const shown = block.is_error ? colour('red', `error: ${words}`) : words;
        print(
          'result',
          `${call.name.split('__').at(-1)} → ${shown} (${(performance.now() - call.at).toFixed(0)} ms)`,
        );
      }
    } else if (message.type === 'result') {
      print('done', `${message.num_turns} turns, ${message.usage.output_tokens} tokens, ${message.subtype}`);
    }
  }
  api.assertDone();
} finally {
  await api.close();
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
}

function resultText(block) {
  return typeof block.content === 'string' ? block.content : block.content.map((part) => part.text).join('');
}
