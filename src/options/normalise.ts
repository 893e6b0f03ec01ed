import { OptionError } from '../protocol/base/errors.js';
import { isRecord } from '../protocol/base/kinds.js';
import { closest } from '../protocol/base/similar.js';
import { checkCombinations } from './combinations.js';
import type { Kind } from './kinds.js';
import { OPTION_TABLE } from './option-table.js';
import type { Options } from './options.js';
import type { GivenOptions } from './row.js';

/** Receives warnings about options: mistakes that do not prevent anything from working. */
export type Warn = (text: string) => void;

const NAMES = Object.keys(OPTION_TABLE) as (keyof Options)[];

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
