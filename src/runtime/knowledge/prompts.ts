import type { SlashCommand } from '../../protocol/wire/control-payloads.js';
import { listIn, readHead, splitList, textIn, truthIn } from './front-matter.js';
import type { KnowledgeSource } from './places.js';

/** Whose it is: found in files of the user or the project, in a plugin, or given by the program itself. */
export type PromptSource = KnowledgeSource | 'plugin' | 'given';

/** A text with a name that a person or the model can ask for, with arguments: a skill or a custom command. */
export interface KnownPrompt {
  /** `greet`, `folder:name`, `plugin:name`. */
  readonly name: string;
  readonly kind: 'skill' | 'command';
  /** Another name, for people. */
  readonly title?: string | undefined;
  readonly description: string;
  /** Somebody wrote the description; otherwise it is the first line of the text. */
  readonly isDescribed: boolean;
  readonly whenToUse?: string | undefined;
  readonly argumentHint: string;
  /** Names of its arguments, in order. */
  readonly argumentNames: readonly string[];
  /** What the model may do without a question while it works on it. */
  readonly allowedTools: readonly string[];
  readonly model?: string | undefined;
  readonly isForModel: boolean;
  readonly isForUser: boolean;
  readonly source: PromptSource;
  /** The plugin that it comes from. */
  readonly plugin?: string | undefined;
  /** Where that plugin is. */
  readonly pluginRoot?: string | undefined;
  /** Where a skill keeps its other files. */
  readonly directory?: string | undefined;
  /** Its head has hooks, which could say no: it is not run without them. */
  readonly hasHooks: boolean;
  /** It should run in a subagent of its own. */
  readonly isForked: boolean;
  readonly content: string | ((args: string) => string | Promise<string>);
}

export type PromptPlace = Pick<
  KnownPrompt,
  'name' | 'kind' | 'source' | 'plugin' | 'pluginRoot' | 'directory'
>;

export function promptFromText(text: string, place: PromptPlace): KnownPrompt {
  const { head, body } = readHead(text);
  const title = textIn(head, 'name');
  const described = textIn(head, 'description');
  const names = head.get('arguments') ?? [];
  return {
    ...place,
    ...(title === undefined || title === place.name ? {} : { title }),
    description: oneLine(described ?? firstLine(body)),
    isDescribed: described !== undefined,
    whenToUse: textIn(head, 'when_to_use') ?? textIn(head, 'when-to-use'),
    argumentHint: textIn(head, 'argument-hint') ?? '',
    argumentNames: typeof names === 'string' ? names.split(/[\s,]+/).filter((name) => name !== '') : names,
    allowedTools: listIn(head, 'allowed-tools').flatMap(splitList),
    model: modelIn(textIn(head, 'model')),
    isForModel: truthIn(head, 'disable-model-invocation') !== true,
    isForUser: truthIn(head, 'user-invocable') !== false,
    hasHooks: hasKey(text, body, 'hooks'),
    isForked: head.get('context') === 'fork',
    content: body,
  };
}

function modelIn(model: string | undefined): string | undefined {
  return model === 'inherit' ? undefined : model;
}

/** Also one whose value is a map, which `readHead` skips. */
function hasKey(text: string, body: string, key: string): boolean {
  return new RegExp(`^${key}:`, 'm').test(text.slice(0, text.length - body.length));
}

function firstLine(body: string): string {
  const line = body.split('\n').find((each) => each.trim() !== '') ?? '';
  return line.replace(/^#+\s*/, '').trim();
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** As hosts list it. */
export function slashCommandOf({
  name,
  title,
  description,
  argumentHint,
  source,
  plugin,
}: KnownPrompt): SlashCommand {
  const label =
    source === 'plugin'
      ? `(${plugin}) ${description}`
      : source === 'given'
        ? description
        : `${description} (${source})`;
  return {
    name: title ?? name,
    description: label,
    argumentHint,
    ...(title === undefined ? {} : { aliases: [name] }),
  };
}
