/**
 * A program as users write it, run under each JavaScript runtime: `host.mjs <CLI> <address of the API>`, what happened
 * as JSON on stdout. It imports the package by its name, from the folder that the test made.
 */
import { createSdkMcpServer, findClaudeCode, query, tool } from 'tenon';
import { embedded } from 'tenon/runtime';
import { scriptedModel } from 'tenon/testing';
import { z } from 'zod';

const [cli, env] = [process.argv[2], JSON.parse(process.argv[3])];

const add = tool('add', 'Adds', { a: z.number(), b: z.number() }, ({ a, b }) => String(a + b));
const calc = () => createSdkMcpServer({ name: 'calc', tools: [add], alwaysLoad: true });

async function conversation(options) {
  const seen = [];
  const running = query({
    prompt: 'What is 15 + 27?',
    options: {
      mcpServers: { calc: calc() },
      canUseTool: async (name, input) => {
        seen.push(`asked ${name}`);
        return { behavior: 'allow', updatedInput: input };
      },
      hooks: {
        PostToolUse: [{ hooks: [async ({ tool_name }) => void seen.push(`hook ${tool_name}`) ?? {}] }],
      },
      ...options,
    },
  });
  for await (const message of running) {
    if (message.type === 'user') {
      const [block] = message.message.content;
      seen.push(`result ${JSON.stringify(block.content)}`);
    }
    if (message.type === 'result') seen.push(`${message.subtype} ${message.result}`);
  }
  return { seen, exit: await running.exited };
}

const model = scriptedModel([
  { toolUses: [{ name: 'mcp__calc__add', input: { a: 15, b: 27 } }] },
  { text: 'It is 42.' },
]);
const onCli = await conversation({ pathToClaudeCodeExecutable: cli, env });
const inProcess = await conversation({ runtime: embedded({ model }) });
const found = await Promise.resolve(findClaudeCode({ path: cli })).then(
  (place) => Boolean(place),
  () => false,
);
console.log(JSON.stringify({ onCli, inProcess: inProcess.seen, found }));
