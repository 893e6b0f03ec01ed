import { parseArgs } from 'node:util';
import { OptionError } from '../../index.js';
import { closest } from '../../protocol/base/similar.js';

/** One option of a command. */
export interface OptionSpec {
  /** `optional`: alone or with a value after `=`, never with the next word: `--inspect`, `--inspect=control`. */
  type: 'string' | 'boolean' | 'optional';
  /** What it does, in a few words; shown by `--help`. */
  help: string;
  /** The placeholder for the value in `--help`: `<file>`. */
  value?: string;
  /** May be given more than once. */
  multiple?: boolean;
  choices?: readonly string[];
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

type ValueOf<Spec extends OptionSpec> = Spec['type'] extends 'boolean'
  ? boolean
  : Spec extends { multiple: true }
    ? string[]
    : string;

/** The values of a command line, typed from the options that the command declares; `''` for an optional one alone. */
export type Values<Specs extends OptionSpecs> = { [Name in keyof Specs]?: ValueOf<Specs[Name]> };

export interface Arguments<Specs extends OptionSpecs = OptionSpecs> {
  values: Values<Specs>;
  positionals: string[];
  /** What stands after `--`, as it stands there; undefined if there is no `--`, or the command takes no program. */
  program?: string[] | undefined;
}

/** A command of `tenon`. */
export interface Command<Specs extends OptionSpecs = OptionSpecs> {
  name: string;
  /** After the name: `"<prompt>" [options]`. */
  usage: string;
  summary: string;
  details?: string;
  options: Specs;
  examples: readonly { command: string; does: string }[];
  /** The maximum number of arguments that are not options. */
  maxPositionals: number;
  /** After `--` comes the command line of another program. */
  takesProgram?: boolean;
  /** Resolves with the exit code. Method syntax, so that commands with different options share one type. */
  execute(args: Arguments<Specs>): Promise<number>;
}

/** Infers the types of the options; does nothing else. */
export function defineCommand<const Specs extends OptionSpecs>(command: Command<Specs>): Command {
  return command as unknown as Command;
}

/**
 * Reads a command line. A mistake throws an `OptionError` that names the option, the value and the remedy.
 */
export function readArguments(command: Command, given: readonly string[]): Arguments {
  const end = command.takesProgram === true ? given.indexOf('--') : -1;
  const args = end === -1 ? given : given.slice(0, end);
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      Object.entries(command.options).map(([name, { type }]) => [
        name,
        { type: type === 'string' ? type : 'boolean' },
      ]),
    ),
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const values: Record<string, string | boolean | string[]> = {};
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    else if (token.kind === 'option') readOption(command, token.name, token.rawName, token.value, values);
  }
  checkPositionals(command, positionals);
  return { values, positionals, ...(end === -1 ? {} : { program: given.slice(end + 1) }) } as Arguments;
}

function readOption(
  command: Command,
  name: string,
  rawName: string,
  value: string | undefined,
  values: Record<string, string | boolean | string[]>,
): void {
  const spec = Object.hasOwn(command.options, name) ? command.options[name] : undefined;
  if (spec === undefined) throw unknownOption(command, rawName);
  if (spec.type === 'boolean') {
    if (value !== undefined)
      throw refused(command, rawName, value, `does not take a value; write ${rawName} alone.`);
    values[name] = true;
    return;
  }
  if (spec.type === 'optional' && value === undefined) {
    values[name] ??= '';
    return;
  }
  // `--tools --json`: the second is hardly meant as a file name.
  if (value === undefined || (value.startsWith('--') && value.length > 2)) {
    throw refused(command, rawName, value, `needs a value: ${rawName} ${spec.value ?? '<value>'}`);
  }
  if (spec.choices !== undefined && !spec.choices.includes(value)) {
    throw refused(command, rawName, value, `${choicesText(rawName, spec)}; it is "${value}".`);
  }
  if (spec.multiple === true) values[name] = [...((values[name] as string[] | undefined) ?? []), value];
  else if (values[name] !== undefined) throw refused(command, rawName, value, 'can be given only once.');
  else values[name] = value;
}

function choicesText(rawName: string, { type, choices = [] }: OptionSpec): string {
  if (type !== 'optional') return `must be one of ${choices.join(', ')}`;
  return `must stand alone, or be ${choices.map((choice) => `${rawName}=${choice}`).join(', ')}`;
}

function unknownOption(command: Command, rawName: string): OptionError {
  const names = [...Object.keys(command.options), 'help'].map((name) => `--${name}`);
  const suggestion = closest(rawName, names);
  return new OptionError(
    rawName,
    undefined,
    `there is no option ${rawName}. ${suggestion === undefined ? `The options are: ${names.join(', ')}.` : `Did you mean ${suggestion}?`} ` +
      `See: tenon ${command.name} --help`,
  );
}

function refused(command: Command, option: string, value: unknown, reason: string): OptionError {
  return new OptionError(option, value, `${option} ${reason} See: tenon ${command.name} --help`);
}

function checkPositionals(command: Command, positionals: readonly string[]): void {
  const extra = positionals[command.maxPositionals];
  if (extra === undefined) return;
  const remedy =
    command.maxPositionals === 0
      ? 'This command takes only options.'
      : 'Put quotes around a text that contains spaces.';
  throw new OptionError(
    'arguments',
    extra,
    `"${extra}" is one argument too many. ${remedy} See: tenon ${command.name} --help`,
  );
}
