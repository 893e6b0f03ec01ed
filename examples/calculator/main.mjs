// The calculator agent: four functions of this process are the tools of an agent that runs in this process too. The
// model is a script, so the program needs no key and no network. With ANTHROPIC_API_KEY (or ANTHROPIC_BASE_URL) set it
// takes a question of yours: npm start -- "What is 12.5 % of 480?"

import { styleText } from 'node:util';
import { query } from 'tenon';
import { anthropic } from 'tenon/model/anthropic';
import { embedded } from 'tenon/runtime';
import { scriptedModel } from 'tenon/testing';
import { calculator } from './tools.mjs';

const DEMO = 'What is (15 + 27) * 3, what is 100 - 58, and what is 7 divided by zero?';

const question = process.argv.slice(2).join(' ');
if (question === '--help' || question === '-h') {
  console.log('npm start                 the calculator agent with a scripted model, offline');
  console.log(
    'npm start -- "question"   the same with a real model; needs ANTHROPIC_API_KEY or ANTHROPIC_BASE_URL',
  );
  process.exit(0);
}
const hasModel = Boolean(process.env.ANTHROPIC_API_KEY || process.env.ANTHROPIC_BASE_URL);
if (question !== '' && !hasModel) {
  console.error('A question of your own needs a real model: set ANTHROPIC_API_KEY or ANTHROPIC_BASE_URL.');
  process.exit(1);
}

/** What a model would do with the question above, step by step. */
const script = scriptedModel((request, index) => {
  const results = toolResults(request.messages.at(-1));
  if (index === 0) {
    return {
      toolUses: [
        { tool: 'mcp__calculator__add', input: { a: 15, b: 27 } },
        { tool: 'mcp__calculator__subtract', input: { a: 100, b: 58 } },
        { tool: 'mcp__calculator__divide', input: { a: 7, b: 0 } },
      ],
    };
  }
  if (index === 1) {
    return { toolUses: [{ tool: 'mcp__calculator__multiply', input: { a: Number(results[0]), b: 3 } }] };
  }
  return `(15 + 27) * 3 is ${results[0]}; 100 - 58 is 42; nothing can be divided by zero.`;
});

const prompt = question === '' ? DEMO : question;
const model = question === '' ? script : anthropic();
const started = performance.now();
const calls = new Map();

print('prompt', prompt);
try {
  for await (const message of query({
    prompt,
    options: {
      runtime: embedded({ model }),
      mcpServers: { calculator },
      allowedTools: ['mcp__calculator__*'],
      systemPrompt: 'You are a calculator. Use the tools for every operation, and answer in one sentence.',
    },
  })) {
    show(message);
  }
} catch (error) {
  console.error(`${error.name} (${error.code}): ${error.message}`);
  process.exitCode = 1;
}

function show(message) {
  if (message.type === 'assistant') {
    for (const block of message.message.content) {
      if (block.type === 'tool_use') {
        calls.set(block.id, { name: block.name.split('__').at(-1), at: performance.now() });
        print('call', `${calls.get(block.id).name}(${JSON.stringify(block.input)})`);
      } else if (block.type === 'text') print('answer', paint('green', block.text));
    }
  } else if (message.type === 'user') {
    for (const block of message.message.content) {
      if (block.type !== 'tool_result') continue;
      const { name, at } = calls.get(block.tool_use_id);
      const words = textOf(block);
      const shown = block.is_error ? paint('red', `error: ${words}`) : words;
      print('result', `${name} → ${shown} (${(performance.now() - at).toFixed(1)} ms)`);
    }
  } else if (message.type === 'result') {
    print(
      'done',
      `${message.num_turns} turns, ${message.usage.output_tokens} output tokens, ${message.subtype}`,
    );
  }
}

function print(label, words) {
  const seconds = ((performance.now() - started) / 1000).toFixed(2);
  console.log(`${paint('dim', `${seconds.padStart(6)} s`)}  ${paint('bold', label.padEnd(7))} ${words}`);
}

/** Colours only on a terminal. */
function paint(style, words) {
  return process.stdout.isTTY ? styleText(style, words) : words;
}

function toolResults(message) {
  return message.content.filter((block) => block.type === 'tool_result').map(textOf);
}

function textOf({ content }) {
  return typeof content === 'string' ? content : content.map((part) => part.text).join('');
}
