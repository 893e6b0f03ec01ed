import type { UserContentBlock } from '../../protocol/wire/content.js';
import type { Knowledge } from './knowledge.js';
import type { KnownPrompt } from './prompts.js';

/** A command that somebody typed, with what stands behind its name. */
export interface TypedCommand {
  readonly name: string;
  readonly args: string;
}

/** Undefined if the prompt is no command: it has several parts, or does not begin with a slash and a name. */
export function typedCommand([block, ...more]: readonly UserContentBlock[]): TypedCommand | undefined {
  if (block?.type !== 'text' || more.length > 0) return undefined;
  const [, name, args = ''] = /^\/([^\s/]+)(?:\s+([\s\S]*))?$/.exec(block.text) ?? [];
  return name === undefined ? undefined : { name, args: args.trim() };
}

/** The skill or command that it asks for. */
export function typedPrompt(
  typed: TypedCommand | undefined,
  knowledge: Pick<Knowledge, 'find'>,
): { prompt: KnownPrompt; args: string } | undefined {
  const prompt = typed === undefined ? undefined : knowledge.find(typed.name);
  return typed === undefined || prompt === undefined ? undefined : { prompt, args: typed.args };
}

/** How a command stands in a transcript. Lists of sessions and other programs look for these tags. */
export function commandTags({ name, args }: TypedCommand): string {
  const given = args === '' ? '' : `\n<command-args>${args}</command-args>`;
  return `<command-message>${name}</command-message>\n<command-name>/${name}</command-name>${given}`;
}
