#!/usr/bin/env node
// `tenon-runtime`: the runtime as a program that takes the place of `claude`: same flags, same lines.

import { readFileSync } from 'node:fs';
import { messageOf } from '../protocol/errors.js';
import { StreamTransport } from '../protocol/stream-transport.js';
import { projectsDirectory } from '../sessions/places.js';
import { fileSessionStore } from '../sessions/stores.js';
import { FlagError, parseFlags, type RuntimeFlags } from './flags.js';
import { anthropic } from './model-anthropic/anthropic.js';
import { RUNTIME_VERSION } from './runtime-config.js';
import { serveRuntime } from './serve.js';

const HELP = `Usage: tenon-runtime [options]

Speaks the stream-json protocol of the Claude Code CLI on stdin and stdout, so that an SDK can drive it:
  query({ prompt, options: { pathToClaudeCodeExecutable: '…/tenon-runtime' } })

The model is reached by ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN) and ANTHROPIC_BASE_URL.

Options: those of the CLI (--model, --allowedTools, --permission-mode, --mcp-config, --json-schema, --max-turns, …)
  --version   print the version
  --help      print this
`;

const args = process.argv.slice(2);
if (args.includes('--help') || args.includes('-h')) leave(0, HELP);
else if (args.includes('--version') || args.includes('-v')) leave(0, `${RUNTIME_VERSION} (Tenon runtime)\n`);
else main();

function main(): void {
  try {
    run(parseFlags(args, readJson));
  } catch (error) {
    const prefix = error instanceof FlagError ? '' : 'error: ';
    process.stderr.write(`${prefix}${messageOf(error)}\n`);
    process.exitCode = 1;
  }
}

/** Throws when the configuration is not to be worked with. */
function run(flags: RuntimeFlags): void {
  const { CLAUDE_CODE_MAX_RETRIES: retries, CLAUDE_CODE_SDK_READS_SESSION_STATE: state } = process.env;
  const running = serveRuntime(
    new StreamTransport(process.stdin, process.stdout),
    {
      model: anthropic({ maxRetries: retries === undefined ? undefined : Number(retries) }),
      sessionStore: fileSessionStore(projectsDirectory()),
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
  process.on('SIGTERM', () => process.exit(143));
}

/** As the CLI does: a host that writes what is no JSON is not to be trusted with the next line. */
function refuseInput(line: string): void {
  process.stderr.write(`Error parsing streaming input line: ${line.slice(0, 200)}\n`);
  process.exit(1);
}

/** JSON text, or a file of it. */
function readJson(text: string): unknown {
  return JSON.parse(text.trimStart().startsWith('{') ? text : readFileSync(text, 'utf8'));
}

function leave(code: number, text: string): void {
  process.stdout.write(text);
  process.exitCode = code;
}
