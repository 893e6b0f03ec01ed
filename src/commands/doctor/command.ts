import { OptionError, resolveMcpConfig } from '../../index.js';
import { type Arguments, defineCommand } from '../arguments/command.js';
import { EXIT } from '../exit-codes.js';
import { problemText, shortPath } from '../mcp/server-text.js';
import { RUNTIMES } from '../run/choose-runtime.js';
import { palette } from '../terminal/palette.js';
import { print, printJson } from '../terminal/print.js';
import { Screen } from '../terminal/screen.js';
import { type AgentCheck, checkAgent } from './agent.js';
import { type Finding, findingLines } from './finding.js';
import { checkCli, checkEnvironment, checkModel, checkNode } from './machine.js';

const DEFAULT_SECONDS = 30;

const options = {
  runtime: {
    type: 'string',
    choices: RUNTIMES,
    help: 'which agent to start; default: the CLI if there is one',
  },
  timeout: {
    type: 'string',
    value: '<seconds>',
    help: `how long MCP servers may take to connect; default ${DEFAULT_SECONDS}`,
  },
  json: { type: 'boolean', help: 'print the report as JSON' },
} as const;

export const doctorCommand = defineCommand({
  name: 'doctor',
  usage: '[options]',
  summary: 'Checks this machine (Node, the CLI and its handshake, every MCP server) and suggests remedies.',
  details:
    'Starts an agent and its MCP servers, but does not call a model. Exits with 1 if something is broken.',
  options,
  examples: [
    { command: 'tenon doctor', does: 'check everything' },
    { command: 'tenon doctor --runtime embedded', does: 'the servers as the embedded runtime sees them' },
    { command: 'tenon doctor --json', does: 'for a script' },
  ],
  maxPositionals: 0,
  execute: examine,
});

async function examine({ values }: Arguments<typeof options>): Promise<number> {
  const serverTimeoutMs = readTimeout(values.timeout) * 1000;
  const json = values.json === true;
  const findings: Finding[] = [];
  const paint = palette(process.stdout);
  const report = (...more: Finding[]): void => {
    findings.push(...more);
    if (json) return;
    for (const finding of more) print(`${findingLines(finding, paint).join('\n')}\n`);
  };
  report(checkNode(), ...checkEnvironment(process.env), checkModel(process.env));
  const { finding, path } = await checkCli(process.env);
  report(finding);
  report(...configurationFindings());
  const check = await agentToCheck(values.runtime, path);
  if (check !== undefined) report(...(await withSpinner(checkAgent({ ...check, serverTimeoutMs }), json)));
  return conclude(findings, json);
}

type WhichAgent = Omit<AgentCheck, 'serverTimeoutMs'>;

/** The agent that `tenon run` would choose. The embedded runtime needs no model to report its servers. */
async function agentToCheck(
  given: string | undefined,
  path: string | undefined,
): Promise<WhichAgent | undefined> {
  if (given !== 'embedded' && path !== undefined) {
    return { name: 'The CLI', options: { pathToClaudeCodeExecutable: path } };
  }
  if (given === 'cli') return undefined;
  const { embedded } = await import('../../runtime/index.js');
  const model = {
    name: 'none',
    // biome-ignore lint/correctness/useYield: this model is never called.
    async *stream() {
      throw new Error('tenon doctor does not call a model.');
    },
  };
  return { name: 'The embedded runtime', options: { runtime: embedded({ model }) } };
}

/** Problems in the files; problems with a server are reported with its state. */
function configurationFindings(): Finding[] {
  return resolveMcpConfig()
    .problems.filter(({ server, severity }) => server === undefined || severity === 'warning')
    .map((problem) => {
      const { severity, file, line } = problem;
      return {
        check: 'configuration',
        state: severity,
        message: problemText(problem),
        remedy: file === undefined ? 'See: tenon mcp list' : `Correct ${shortPath(file)}`,
        details: { file: file ?? null, line: line ?? null },
      };
    });
}

async function withSpinner<Result>(work: Promise<Result>, json: boolean): Promise<Result> {
  if (json) return work;
  const screen = new Screen();
  const started = performance.now();
  screen.setStatus(
    () => `${Math.round((performance.now() - started) / 1000)} s starting the agent and its servers`,
  );
  try {
    return await work;
  } finally {
    screen.setStatus(undefined);
  }
}

function conclude(findings: readonly Finding[], json: boolean): number {
  const count = (state: Finding['state']): number =>
    findings.filter((finding) => finding.state === state).length;
  const [errors, warnings] = [count('error'), count('warning')];
  if (json) printJson({ ok: errors === 0, errors, warnings, findings }, { indent: 2 });
  else print(`${closing(errors, warnings)}\n`);
  return errors === 0 ? EXIT.ok : EXIT.failed;
}

function closing(errors: number, warnings: number): string {
  if (errors + warnings === 0) return 'Everything is in order.';
  const parts = [
    ...(errors === 0 ? [] : [`${errors} ${errors === 1 ? 'problem' : 'problems'}`]),
    ...(warnings === 0 ? [] : [`${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`]),
  ];
  return `${parts.join(', ')}.`;
}

function readTimeout(given: string | undefined): number {
  if (given === undefined) return DEFAULT_SECONDS;
  const seconds = Number(given);
  if (given.trim() !== '' && Number.isFinite(seconds) && seconds > 0) return seconds;
  throw new OptionError(
    '--timeout',
    given,
    `--timeout must be a number of seconds above 0; it is "${given}".`,
  );
}
