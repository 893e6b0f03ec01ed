import { OptionError } from '../protocol/base/errors.js';
import { emitWarning } from '../protocol/base/host-process.js';
import { isRecord } from '../protocol/base/kinds.js';
import { LIMITS } from '../protocol/base/limits.js';
import { closest } from '../protocol/base/similar.js';
import { OPTION_TABLE } from './option-table.js';
import type { Options } from './options.js';
import type { GivenOptions, Kind } from './row.js';

/** Receives warnings about options: mistakes that do not prevent anything from working. */
export type Warn = (text: string) => void;

const NAMES = Object.keys(OPTION_TABLE) as (keyof Options)[];

/**
 * The checked options of a call, without those that were not given. Mistakes that are tolerable cause
 * warnings.
 */
export function givenOptions(options: Options, caller: string): GivenOptions {
  const warn = warningsTo(typeof options === 'object' && options !== null ? options : {}, 'TENON_OPTION');
  return normalise(options, warn, caller);
}

/**
 * The single entry point for options: `null` and `undefined` mean absent; kinds and combinations are
 * checked, so that a mistake is reported here rather than by an exit code half a second later. Unknown
 * names cause a warning, or with `strictOptions` an error.
 */
export function normalise(options: Options, warn: Warn, caller = 'query'): GivenOptions {
  if (typeof options !== 'object' || options === null) {
    throw new OptionError('options', options, `${caller}(): \`options\` must be an object.`);
  }
  const given: Record<string, unknown> = {};
  const report = options.strictOptions ? refuseMistake : (mistake: Mistake) => warn(mistake.message);
  for (const name of NAMES) {
    // By name, so that inherited properties count too.
    const value = options[name];
    if (value === undefined || value === null) continue;
    const { kind } = OPTION_TABLE[name];
    checkKind(name, value, kind);
    given[name] = withoutNulls(name, value, kind, report);
  }
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(OPTION_TABLE, name)) report(unknownName(name, options[name as keyof Options], NAMES));
  }
  checkCombinations(given as GivenOptions);
  return given as GivenOptions;
}

function checkKind(name: string, value: unknown, { accepts, expected }: Kind): void {
  if (accepts(value)) return;
  throw new OptionError(name, value, `The option \`${name}\` must be ${expected}; it is ${shown(value)}.`);
}

interface Mistake {
  option: string;
  value: unknown;
  message: string;
}

function refuseMistake({ option, value, message }: Mistake): never {
  throw new OptionError(option, value, message);
}

/** Inside objects whose shape we define, `null` means absent too, and names are checked. */
function withoutNulls(name: string, value: unknown, kind: Kind, report: (mistake: Mistake) => void): unknown {
  const { fields = [] } = kind;
  if (fields.length === 0 || !isRecord(value)) return value;
  for (const field of Object.keys(value)) {
    if (!fields.includes(field)) report(unknownName(`${name}.${field}`, value[field], fields));
  }
  const entries = Object.entries(value);
  return entries.some(([, item]) => item === null)
    ? Object.fromEntries(entries.filter(([, item]) => item !== null))
    : value;
}

function unknownName(path: string, value: unknown, known: readonly string[]): Mistake {
  const similar = closest(path.slice(path.lastIndexOf('.') + 1), known);
  const remedy = similar === undefined ? 'It has no effect.' : `Did you mean \`${similar}\`?`;
  return { option: path, value, message: `There is no option \`${path}\`. ${remedy}` };
}

function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  try {
    return (JSON.stringify(value) ?? String(value)).slice(0, 100);
  } catch {
    return String(value);
  }
}

const emitted = new Set<string>();

/**
 * Reports problems that do not prevent the query: to `stderr` if given, otherwise once per process as a
 * warning.
 */
export function warningsTo(
  { stderr }: Pick<Options, 'stderr'>,
  code: `TENON_${string}` | 'CLAUDE_SDK_CAN_USE_TOOL_SHADOWED',
): Warn {
  return (text) => {
    if (typeof stderr === 'function') tell(stderr, `tenon: ${text}\n`);
    else if (!emitted.has(text)) {
      emitted.add(text);
      // Texts may name what differs from query to query, and a server runs for months.
      for (const oldest of emitted) {
        if (emitted.size <= LIMITS.rememberedWarnings) break;
        emitted.delete(oldest);
      }
      emitWarning(text, { type: 'TenonWarning', code });
    }
  };
}

/** A callback that throws must not end a query that has not started. */
function tell(stderr: (text: string) => void, text: string): void {
  try {
    stderr(text);
  } catch {}
}

/** Checks options that are each valid but cannot be combined. */
function checkCombinations(options: GivenOptions): void {
  if (options.canUseTool && options.permissionPromptToolName) {
    throw new OptionError(
      'permissionPromptToolName',
      options.permissionPromptToolName,
      'Give `canUseTool` or `permissionPromptToolName`, not both: each decides who is asked for permission.',
    );
  }
  if (options.runtime && options.transport) {
    throw new OptionError(
      'transport',
      options.transport,
      'Give `runtime` or `transport`, not both: each determines how the agent is reached.',
    );
  }
  checkHermetic(options);
  checkStore(options);
}

function checkHermetic(options: GivenOptions): void {
  const { hermetic, settingSources } = options;
  if (!hermetic) return;
  if (settingSources !== undefined && settingSources.length > 0) {
    throw new OptionError(
      'settingSources',
      settingSources,
      'Give `hermetic` or `settingSources`, not both: a hermetic query does not read the settings of this machine.',
    );
  }
  const kept = (['resume', 'continue'] as const).find((name) => options[name]);
  const isCli = options.runtime === undefined && options.transport === undefined;
  if (kept !== undefined && isCli && options.sessionStore === undefined) {
    throw new OptionError(
      kept,
      options[kept],
      `Give \`hermetic\` or \`${kept}\`, not both: a hermetic query with the CLI stores no conversations and finds none. ` +
        'To continue conversations, give a `sessionStore`.',
    );
  }
}

function checkStore({ sessionStore, persistSession, enableFileCheckpointing }: GivenOptions): void {
  if (sessionStore === undefined) return;
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
      'The option `sessionStore` cannot be used with `persistSession: false`: the store gets a copy of what the ' +
        'agent writes. To keep no files, set `env.CLAUDE_CONFIG_DIR` to a temporary directory.',
    );
  }
  if (enableFileCheckpointing) {
    throw new OptionError(
      'enableFileCheckpointing',
      enableFileCheckpointing,
      'The option `enableFileCheckpointing` cannot be used with `sessionStore`: file checkpoints are not in the store, ' +
        'so rewindFiles() would fail after the conversation was restored.',
    );
  }
}
