import { OptionError } from '../protocol/base/errors.js';
import { NO_PROCESS } from './embedded.js';
import type { Warn } from './normalise.js';
import { OPTION_TABLE } from './option-table.js';
import type { Options } from './options.js';
import type { GivenOptions, ReceivedOptions, Row, RuntimeFacts, Support } from './row.js';

const NAMES = Object.keys(OPTION_TABLE) as (keyof Options)[];

/**
 * Checks options against what the embedded runtime does with them, according to the table: throws for those
 * it refuses and warns about those it ignores (with `strictOptions` it throws for those too).
 */
export function checkEmbedded(options: GivenOptions, runtime: RuntimeFacts, warn: Warn): void {
  const strict = options.strictOptions === true;
  for (const name of NAMES) {
    const value = options[name];
    if (value === undefined || value === false) continue;
    const support = supportOf(name, value, runtime);
    if (support !== NO_PROCESS) report(name, value, support, warn, strict);
  }
}

/** The same for a runtime that only receives what the options were translated into. */
export function checkReceived(received: ReceivedOptions, runtime: RuntimeFacts, warn: Warn): void {
  for (const name of NAMES) {
    const value = OPTION_TABLE[name].to.readBack?.(received);
    if (value === undefined || value === null || value === false) continue;
    report(name, value, supportOf(name, value, runtime), warn, false);
  }
}

/** Warns about options that concern a process when the client starts none. */
export function checkNoProcess(options: GivenOptions, warn: Warn): void {
  for (const name of NAMES) {
    const value = options[name];
    if (value === undefined || OPTION_TABLE[name].embedded !== NO_PROCESS) continue;
    report(name, value, NO_PROCESS, warn, options.strictOptions === true);
  }
}

function supportOf(name: keyof Options, value: unknown, runtime: RuntimeFacts): Support {
  const { embedded } = OPTION_TABLE[name] as Row<unknown>;
  return typeof embedded === 'function' ? embedded(value, runtime) : embedded;
}

function report(name: string, value: unknown, support: Support, warn: Warn, strict: boolean): void {
  if (support === 'acts') return;
  if ('refuses' in support) {
    throw notSupported(
      name,
      value,
      `The embedded runtime cannot honour the option \`${name}\`: ${support.refuses}.`,
    );
  }
  const text = textOf(name, support);
  if (strict) throw notSupported(name, value, text);
  warn(text);
}

function textOf(name: string, support: Exclude<Support, 'acts' | { refuses: string }>): string {
  if (support === NO_PROCESS) return `The option \`${name}\` has no effect: ${support.ignores}.`;
  const what = support.inPart ? 'part of the option' : 'the option';
  return `The embedded runtime ignores ${what} \`${name}\`: ${support.ignores}.`;
}

function notSupported(name: string, value: unknown, message: string): OptionError {
  return new OptionError(name, value, message, 'NOT_SUPPORTED');
}
