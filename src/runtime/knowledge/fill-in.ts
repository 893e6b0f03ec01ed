import type { KnownPrompt } from './prompts.js';

/** The words of an argument text; quotes keep blanks together. */
export function argumentsIn(text: string): string[] {
  const words = text.matchAll(/(?:[^\s"']|"(?:[^"\\]|\\.)*"|'[^']*'|["'])+/g);
  return [...words].map(([word]) =>
    word.replaceAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g, (_, double?: string, single?: string) =>
      double === undefined ? (single ?? '') : double.replaceAll(/\\(.)/g, '$1'),
    ),
  );
}

/**
 * The text with its arguments: `$ARGUMENTS` is all of them, `$ARGUMENTS[0]` and `$0` are the first, a name is the one
 * that the head calls so. What nothing was given for stays; arguments that the text has no place for follow it.
 */
export function withArguments(
  text: string,
  args: string,
  { argumentNames, directory, pluginRoot }: Pick<KnownPrompt, 'argumentNames' | 'directory' | 'pluginRoot'>,
): string {
  const words = argumentsIn(args);
  let isUsed = false;
  const used = (value: string): string => {
    isUsed = true;
    return value;
  };
  const filled = text.replaceAll(
    /\\\$(?=\d|[A-Za-z_])|\$\{CLAUDE_(?:SKILL_DIR|PLUGIN_ROOT)\}|\$ARGUMENTS\[(\d+)\]|\$(\d+)(?!\w)|\$([A-Za-z_]\w*)/g,
    (token, listed?: string, indexed?: string, name?: string) => {
      if (token.startsWith('\\')) return '$';
      if (token.startsWith('${')) return (token.includes('SKILL') ? directory : pluginRoot) ?? token;
      if (name === 'ARGUMENTS') return used(args);
      const index = name === undefined ? Number(listed ?? indexed) : argumentNames.indexOf(name);
      const word = words[index];
      return word === undefined ? token : used(word);
    },
  );
  return isUsed || args === '' ? filled : `${filled}\n\nARGUMENTS: ${args}`;
}
