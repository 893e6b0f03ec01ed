import { OptionError } from '../../protocol/base/errors.js';
import { isRecord, kindOf } from '../../protocol/base/kinds.js';
import type { KnownPrompt } from './prompts.js';
import type { MemoryFile } from './read-memory.js';

/** A skill as a value: `embedded({ skills: { greet: { description, content } } })`. */
export interface SkillDefinition extends CommandDefinition {
  /** What it is for: the model decides by it. */
  description: string;
  /** When the model should use it, beyond the description. */
  whenToUse?: string | undefined;
  /** Only people can ask for it, by `/name`. */
  disableModelInvocation?: boolean | undefined;
  /** false: only the model can ask for it. */
  userInvocable?: boolean | undefined;
}

/** A slash command as a value: `embedded({ commands: { 'fix': { content: 'Fix $ARGUMENTS' } } })`. */
export interface CommandDefinition {
  description?: string | undefined;
  /** Shown to people after the name. */
  argumentHint?: string | undefined;
  /** Tools, as in `allowedTools`, that need no further question in the turn that it is used in. */
  allowedTools?: readonly string[] | undefined;
  /** The model that answers a prompt with it. */
  model?: string | undefined;
  /** A text in which `$ARGUMENTS` and `$0`, `$1`, … are filled in, or a function that makes one. */
  content: string | ((args: string) => string | Promise<string>);
}

/** A memory text with a name; a text alone has the name `memory`. */
export interface MemoryDefinition {
  name: string;
  content: string;
}

/** What an agent knows, given as values rather than found in files. */
export interface KnowledgeValues {
  skills?: Readonly<Record<string, SkillDefinition>> | undefined;
  commands?: Readonly<Record<string, CommandDefinition>> | undefined;
  memory?: string | readonly (string | MemoryDefinition)[] | undefined;
}

const NAME = /^[\p{L}\p{N}_.-]+(?::[\p{L}\p{N}_.-]+)*$/u;

/** Names that the runtime has commands for. */
const TAKEN: ReadonlySet<string> = new Set(['clear', 'compact']);

type Field = readonly [name: string, isRight: (value: unknown) => boolean, wanted: string];

const isText = (value: unknown): boolean => typeof value === 'string';
const isTruth = (value: unknown): boolean => typeof value === 'boolean';
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isContent = (value: unknown): boolean => isText(value) || typeof value === 'function';

const COMMAND_FIELDS: readonly Field[] = [
  ['description', isText, 'a string'],
  ['argumentHint', isText, 'a string'],
  ['allowedTools', isTexts, 'an array of rules such as "Read"'],
  ['model', isText, 'the name of a model'],
  ['content', isContent, 'a string, or a function of the arguments that returns one'],
];
const SKILL_FIELDS: readonly Field[] = [
  ...COMMAND_FIELDS,
  ['whenToUse', isText, 'a string'],
  ['disableModelInvocation', isTruth, 'true or false'],
  ['userInvocable', isTruth, 'true or false'],
];

/** Throws an `OptionError` for the first value that cannot be used. */
export function checkKnowledge({ skills, commands, memory }: KnowledgeValues, caller: string): void {
  checkAll('skills', skills, SKILL_FIELDS, ['description', 'content'], caller);
  checkAll('commands', commands, COMMAND_FIELDS, ['content'], caller);
  const twice = Object.keys(commands ?? {}).find((name) => Object.hasOwn(skills ?? {}, name));
  if (twice !== undefined) {
    throw wrong(
      `commands[${JSON.stringify(twice)}]`,
      twice,
      'named otherwise: a skill has this name',
      caller,
    );
  }
  if (memory === undefined || isText(memory)) return;
  const isEntry = (value: unknown): boolean =>
    isText(value) || (isRecord(value) && isText(value.name) && isText(value.content));
  if (Array.isArray(memory) && memory.every(isEntry)) return;
  throw wrong('memory', memory, 'a string, or an array of strings and { name, content }', caller);
}

function checkAll(
  option: string,
  values: unknown,
  fields: readonly Field[],
  needed: readonly string[],
  caller: string,
): void {
  if (values === undefined) return;
  if (!isRecord(values)) throw wrong(option, values, 'an object with a definition for each name', caller);
  for (const [name, value] of Object.entries(values)) {
    const place = `${option}[${JSON.stringify(name)}]`;
    if (!NAME.test(name)) {
      throw wrong(
        place,
        name,
        'named with letters, digits, "_", "-" and "." (and ":" between parts)',
        caller,
      );
    }
    if (TAKEN.has(name))
      throw wrong(place, name, `named otherwise: /${name} is a command of the runtime`, caller);
    if (!isRecord(value)) throw wrong(place, value, 'an object with `content`', caller);
    // A misspelt field could be the one that keeps the model away from it.
    const stranger = Object.keys(value).find((field) => !fields.some(([known]) => known === field));
    if (stranger !== undefined) {
      const known = fields.map(([field]) => `\`${field}\``).join(', ');
      throw wrong(`${place}.${stranger}`, value[stranger], `left out: the fields are ${known}`, caller);
    }
    for (const [field, isRight, wanted] of fields) {
      const given = value[field];
      const isMissing = given === undefined && needed.includes(field);
      if (isMissing || (given !== undefined && !isRight(given))) {
        throw wrong(`${place}.${field}`, given, wanted, caller);
      }
    }
  }
}

function wrong(place: string, value: unknown, wanted: string, caller: string): OptionError {
  const isPlain = ['string', 'number', 'boolean'].includes(typeof value);
  const given = isPlain ? JSON.stringify(value) : value === undefined ? 'missing' : kindOf(value);
  return new OptionError(place, value, `${caller}(): \`${place}\` must be ${wanted}; it is ${given}.`);
}

/** Shared by all conversations that have none. */
const NO_PROMPTS: readonly KnownPrompt[] = [];
const NO_MEMORY: readonly MemoryFile[] = [];

export function givenPrompts({ skills, commands }: KnowledgeValues): readonly KnownPrompt[] {
  if (skills === undefined && commands === undefined) return NO_PROMPTS;
  return [
    ...Object.entries(skills ?? {}).map(([name, skill]) => promptOf(name, 'skill', skill)),
    ...Object.entries(commands ?? {}).map(([name, command]) => promptOf(name, 'command', command)),
  ];
}

function promptOf(
  name: string,
  kind: KnownPrompt['kind'],
  value: CommandDefinition & Partial<Omit<SkillDefinition, keyof CommandDefinition>>,
): KnownPrompt {
  return {
    name,
    kind,
    description: value.description ?? '',
    isDescribed: value.description !== undefined,
    whenToUse: value.whenToUse,
    argumentHint: value.argumentHint ?? '',
    argumentNames: [],
    allowedTools: value.allowedTools ?? [],
    model: value.model,
    isForModel: value.disableModelInvocation !== true,
    isForUser: value.userInvocable !== false,
    source: 'given',
    hasHooks: false,
    isForked: false,
    content: value.content,
  };
}

export function givenMemory({ memory }: KnowledgeValues): readonly MemoryFile[] {
  if (memory === undefined) return NO_MEMORY;
  const entries = typeof memory === 'string' ? [memory] : memory;
  return entries.map((entry) => {
    const { name, content } = typeof entry === 'string' ? { name: 'memory', content: entry } : entry;
    return { path: name, text: content.trim(), source: 'given' as const };
  });
}
