// A program on the AI SDK, with Claude Code as its model. What it prints last is what the test looks at.
import { generateText, Output, streamText, tool } from 'ai';
import {
  createAiSdkMcpServer,
  createClaudeCode,
  createCustomMcpServer,
  forkSession,
  getSessionMessages,
  listSessions,
  startup,
} from 'ai-sdk-provider-claude-code';
import { z } from 'zod';

const [pathToClaudeCodeExecutable, environment, cwd] = process.argv.slice(2);
const env = JSON.parse(environment);
const events = [];

const calc = createCustomMcpServer({
  name: 'calc',
  version: '1.0.0',
  tools: {
    add: {
      description: 'Adds two numbers',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      handler: async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }),
    },
  },
});
const upper = tool({
  description: 'Makes letters large',
  inputSchema: z.object({ letters: z.string() }),
  execute: async ({ letters }) => letters.toUpperCase(),
});

async function note(input) {
  events.push([input.hook_event_name, input.tool_name]);
  return {};
}

const claudeCode = createClaudeCode({
  defaultSettings: {
    pathToClaudeCodeExecutable,
    env,
    cwd,
    streamingInput: 'always',
    mcpServers: { calc, letters: createAiSdkMcpServer('letters', { upper }) },
    hooks: { PreToolUse: [{ hooks: [note] }], PostToolUse: [{ hooks: [note] }] },
    canUseTool: async (name, input) => {
      events.push(['canUseTool', name]);
      if (name === 'Bash') return { behavior: 'deny', message: 'No shell here.' };
      return { behavior: 'allow', updatedInput: input };
    },
  },
});

const first = await generateText({ model: claudeCode('sonnet'), prompt: 'What is 15 + 27?' });
const { sessionId } = first.providerMetadata['claude-code'];

const second = streamText({ model: claudeCode('sonnet', { resume: sessionId }), prompt: 'Make a file.' });
const errors = [];
for await (const part of second.fullStream) {
  if (part.type === 'tool-error') errors.push(`${part.toolName}: ${part.error}`);
}

const third = await generateText({
  model: claudeCode('sonnet'),
  prompt: 'A number, please.',
  output: Output.object({ schema: z.object({ number: z.number() }) }),
});

const warm = await startup({ options: { pathToClaudeCodeExecutable, env, cwd } });
let warmAnswer;
for await (const message of warm.query('Are you warm?')) {
  if (message.type === 'result') warmAnswer = message.result;
}

// These look into the folder of their own process's environment.
process.env.CLAUDE_CONFIG_DIR = env.CLAUDE_CONFIG_DIR;
const listed = await listSessions({ dir: cwd });
const messages = await getSessionMessages(sessionId, { dir: cwd });
const fork = await forkSession(sessionId, { dir: cwd });
const answers = {
  first: first.text,
  toolResults: first.toolResults.map(({ toolName, output }) => [toolName, output]),
  usage: first.usage.totalTokens,
  second: await second.text,
  errors,
  third: third.output,
  warmAnswer,
  events,
  sessions: listed.length,
  roles: messages.map(({ type }) => type),
  forked: fork.sessionId !== sessionId && (await listSessions({ dir: cwd })).length,
};
console.log(JSON.stringify(answers));
