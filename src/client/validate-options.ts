import { OptionError } from '../protocol/errors.js';
import { isRecord } from '../protocol/kinds.js';
import { OPTION_TABLE } from './option-table.js';
import type { Options } from './options.js';

/** Checked at the door, so that a mistake is named here and not by an exit code half a second later. */
export function validateOptions(options: Options): void {
  if (typeof options !== 'object' || options === null) {
    throw new OptionError('options', options, 'query(): `options` must be an object.');
  }
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (name in OPTION_TABLE) checkKind(name, value);
  }
  checkCombinations(options);
}

type Kind = 'function' | 'array' | 'object' | 'string' | 'boolean' | 'positive' | 'nonNegative';

const KINDS: Partial<Record<keyof Options, Kind>> = {
  additionalDirectories: 'array',
  agents: 'object',
  allowedTools: 'array',
  betas: 'array',
  canUseTool: 'function',
  closeGraceMs: 'nonNegative',
  continue: 'boolean',
  controlTimeoutMs: 'nonNegative',
  cwd: 'string',
  disallowedTools: 'array',
  env: 'object',
  executableArgs: 'array',
  extraArgs: 'object',
  hermetic: 'boolean',
  hooks: 'object',
  loadTimeoutMs: 'positive',
  maxBudgetUsd: 'nonNegative',
  maxLineBytes: 'positive',
  maxThinkingTokens: 'nonNegative',
  maxTurns: 'nonNegative',
  maxUnreadBytes: 'positive',
  mcpServers: 'object',
  model: 'string',
  onDebug: 'function',
  onElicitation: 'function',
  onMcpStatus: 'function',
  onSampling: 'function',
  onUserDialog: 'function',
  pathToClaudeCodeExecutable: 'string',
  permissionMode: 'string',
  plugins: 'array',
  resume: 'string',
  sessionId: 'string',
  sessionStore: 'object',
  settingSources: 'array',
  spawnClaudeCodeProcess: 'function',
  startupTimeoutMs: 'nonNegative',
  stderr: 'function',
  strictMcpConfig: 'boolean',
};

const CHECKS: Record<Kind, [expected: string, test: (value: unknown) => boolean]> = {
  function: ['a function', (value) => typeof value === 'function'],
  array: ['an array', Array.isArray],
  object: ['an object', isRecord],
  string: ['a string', (value) => typeof value === 'string'],
  boolean: ['true or false', (value) => typeof value === 'boolean'],
  positive: ['a number above 0', (value) => typeof value === 'number' && value > 0],
  nonNegative: ['a number, 0 or above', (value) => typeof value === 'number' && value >= 0],
};

function checkKind(name: string, value: unknown): void {
  // Programs pass `null` for "not set", and the official SDK lets them.
  if (value === null) return;
  const kind = KINDS[name as keyof Options];
  if (kind === undefined) return;
  const [expected, test] = CHECKS[kind];
  if (test(value)) return;
  throw new OptionError(name, value, `The option \`${name}\` must be ${expected}; it is ${shown(value)}.`);
}

function checkCombinations(options: Options): void {
  if (options.canUseTool && options.permissionPromptToolName) {
    throw new OptionError(
      'permissionPromptToolName',
      options.permissionPromptToolName,
      'Give `canUseTool` or `permissionPromptToolName`, not both: each says who is asked for permission.',
    );
  }
  checkIsolation(options);
  checkStore(options);
  const { outputFormat } = options;
  if (outputFormat && (outputFormat.type !== 'json_schema' || !CHECKS.object[1](outputFormat.schema))) {
    throw new OptionError(
      'outputFormat',
      outputFormat,
      `The option \`outputFormat\` must be { type: "json_schema", schema: { … } }; it is ${shown(outputFormat)}.`,
    );
  }
}

function checkIsolation(options: Options): void {
  const { hermetic, isolation, settingSources, mcpReady } = options;
  if (isolation != null && isolation !== 'session') {
    throw new OptionError(
      'isolation',
      isolation,
      `The option \`isolation\` must be "session"; it is ${shown(isolation)}.`,
    );
  }
  if (mcpReady != null && typeof mcpReady !== 'boolean' && !CHECKS.object[1](mcpReady)) {
    throw new OptionError(
      'mcpReady',
      mcpReady,
      `The option \`mcpReady\` must be true or { servers?, timeout? }; it is ${shown(mcpReady)}.`,
    );
  }
  if (!hermetic) return;
  if (settingSources != null && settingSources.length > 0) {
    throw new OptionError(
      'settingSources',
      settingSources,
      'Give `hermetic` or `settingSources`, not both: a hermetic query reads no settings of this machine.',
    );
  }
  const kept = (['resume', 'continue'] as const).find((name) => options[name]);
  if (kept !== undefined && options.runtime == null && options.sessionStore == null) {
    throw new OptionError(
      kept,
      options[kept],
      `Give \`hermetic\` or \`${kept}\`, not both: a hermetic query of the CLI keeps no conversation and finds none. ` +
        'For conversations that go on, give a `sessionStore`.',
    );
  }
}

function checkStore({ sessionStore, persistSession, enableFileCheckpointing }: Options): void {
  if (sessionStore == null) return;
  if (typeof sessionStore.append !== 'function' || typeof sessionStore.load !== 'function') {
    throw new OptionError(
      'sessionStore',
      sessionStore,
      'The option `sessionStore` must have the methods append() and load().',
    );
  }
  if (persistSession === false) {
    throw new OptionError(
      'persistSession',
      persistSession,
      'The option `sessionStore` cannot be used with `persistSession: false`: what is copied into the store is what the agent ' +
        'writes. To keep no files, let `env.CLAUDE_CONFIG_DIR` be a temporary directory.',
    );
  }
  if (enableFileCheckpointing) {
    throw new OptionError(
      'enableFileCheckpointing',
      enableFileCheckpointing,
      'The option `enableFileCheckpointing` cannot be used with `sessionStore`: the copies of files are not in the store, so ' +
        'rewindFiles() would fail after the conversation was restored.',
    );
  }
}

function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  try {
    return (JSON.stringify(value) ?? String(value)).slice(0, 100);
  } catch {
    return String(value);
  }
}
