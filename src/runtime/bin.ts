#!/usr/bin/env node
// `tenon-runtime`: the runtime as a program that replaces `claude`, with the same flags and the same messages.

import { readFileSync } from 'node:fs';
import { anthropic } from '../models/anthropic/anthropic.js';
import { httpFetch } from '../models/anthropic/http-fetch.js';
import { FlagError, parseArguments } from '../options/flags.js';
import type { AgentPlan } from '../options/plan.js';
import { messageOf } from '../protocol/base/errors.js';
import { StreamTransport } from '../protocol/transport/stream-transport.js';
import { projectsDirectory } from '../sessions/places.js';
import { fileSessionStore } from '../sessions/stores.js';
import { localWorkspace } from '../workspace/adapters/local.js';
import { contextOfProgram } from './context/context-environment.js';
import { serveRuntime } from './on-node.js';
import { RUNTIME_VERSION } from './start/runtime-config.js';

const HELP = `Usage: tenon-runtime [options]

Speaks the stream-json protocol of the Claude Code CLI on stdin and stdout, so that an SDK can drive it:
  query({ prompt, options: { pathToClaudeCodeExecutable: '…/tenon-runtime' } })

Set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN), and ANTHROPIC_BASE_URL if needed, to reach the model.

It has the CLI's tools for files and commands, which work in the current directory, and subagents, skills and memory.

Options: those of the CLI (--model, --tools, --add-dir, --allowedTools, --disallowedTools, --permission-mode,
         --settings, --setting-sources, --agents, --mcp-config, --json-schema, --max-turns, …)
  --version   print the version
  --help      print this
`;

/** What the CLI exits with when it is told to leave. */
const EXIT_CODES: Readonly<Record<string, number>> = { SIGTERM: 143, SIGINT: 0 };

const args = process.argv.slice(2);
if (args.includes('--help') || args.includes('-h')) leave(0, HELP);
else if (args.includes('--version') || args.includes('-v')) leave(0, `${RUNTIME_VERSION} (Tenon runtime)\n`);
else main();

function main(): void {
  try {
    run(parseArguments(args, readJson));
  } catch (error) {
    const prefix = error instanceof FlagError ? '' : 'error: ';
    process.stderr.write(`${prefix}${messageOf(error)}\n`);
    process.exitCode = 1;
  }
}

/** Throws if the configuration cannot be used. */
function run(flags: AgentPlan): void {
  const { CLAUDE_CODE_MAX_RETRIES: retries, CLAUDE_CODE_SDK_READS_SESSION_STATE: state } = process.env;
  const running = serveRuntime(
    new StreamTransport(process.stdin, process.stdout),
    {
      model: anthropic({ fetch: httpFetch, maxRetries: retries === undefined ? undefined : Number(retries) }),
      sessionStore: fileSessionStore(projectsDirectory()),
      workspace: localWorkspace(process.cwd()),
      context: contextOfProgram(process.env),
    },
    {
      flags,
      cwd: process.cwd(),
      env: process.env,
      reportsState: state === '1',
      onNoise: refuseInput,
      onStderr: (text) => process.stderr.write(text),
    },
  );
  running.finished.then((code) => {
    process.exitCode = code;
    process.stdin.destroy();
  });
  for (const [signal, code] of Object.entries(EXIT_CODES)) {
    // A second signal does not wait.
    process.once(signal, () => {
      process.once(signal, () => process.exit(code));
      void running.stop().finally(() => process.exit(code));
    });
  }
}

/** As in the CLI: after a line that is not JSON, the host cannot be trusted with the next one. */
function refuseInput(line: string): void {
  process.stderr.write(`Error parsing streaming input line: ${line.slice(0, 200)}\n`);
  process.exit(1);
}

/** Reads JSON text, or a file that contains it. */
function readJson(text: string): unknown {
  return JSON.parse(text.trimStart().startsWith('{') ? text : readFileSync(text, 'utf8'));
}

function leave(code: number, text: string): void {
  // `tenon-runtime --help | head -n 1`: the reader has enough.
  process.stdout.on('error', () => {});
  process.stdout.write(text);
  process.exitCode = code;
}
