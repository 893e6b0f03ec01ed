// A program that is traced by wrappers of the SDK's exports: OpenInference's and LangSmith's.

import * as sdk from '@anthropic-ai/claude-agent-sdk';
import { ClaudeAgentSDKInstrumentation } from '@arizeai/openinference-instrumentation-claude-agent-sdk';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { Client } from 'langsmith';
import { wrapClaudeAgentSDK } from 'langsmith/experimental/anthropic';
import { z } from 'zod';

const [pathToClaudeCodeExecutable, environment, cwd] = process.argv.slice(2);

async function answer({ query, tool, createSdkMcpServer }) {
  const add = tool('add', 'Adds', { a: z.number(), b: z.number() }, async ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
  }));
  const options = {
    pathToClaudeCodeExecutable,
    env: JSON.parse(environment),
    cwd,
    mcpServers: { calc: createSdkMcpServer({ name: 'calc', tools: [add] }) },
    allowedTools: ['mcp__calc__add'],
  };
  let result;
  for await (const message of query({ prompt: 'What is 15 + 27?', options })) {
    if (message.type === 'result') result = message.result;
  }
  return result;
}

const exporter = new InMemorySpanExporter();
const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const instrumentation = new ClaudeAgentSDKInstrumentation({ tracerProvider });
const openInference = await answer(instrumentation.manuallyInstrument(sdk));
const spans = exporter
  .getFinishedSpans()
  .map(({ attributes }) => [
    attributes['openinference.span.kind'],
    attributes['tool.name'] ?? attributes['input.value'],
    attributes['output.value'],
  ]);

const runs = [];
const client = new Client({ apiKey: 'test', autoBatchTracing: false });
// Nothing leaves this process.
client.createRun = async ({ name, run_type: type }) => void runs.push(`${type} ${name}`);
client.updateRun = async () => {};
const langSmith = await answer(wrapClaudeAgentSDK(sdk, { client, tracingEnabled: true }));
console.log(JSON.stringify({ openInference, spans, langSmith, runs }));
