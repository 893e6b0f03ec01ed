/** Files that tell an agent something, and what became of them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Options, SDKUserMessage } from '../../../src/index.js';
import { says } from './says.js';
import type { Context, Outcome } from './scenario.js';

/** Writes files below the working directory, or below the user's folder (`~/`). */
export function withFiles(
  files: Record<string, string>,
  options: Options = {},
): (context: Context) => Options {
  return ({ box }) => {
    for (const [name, content] of Object.entries(files)) {
      const path = name.startsWith('~/') ? join(box.configDir, name.slice(2)) : join(box.cwd, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    }
    return options;
  };
}

/** The text of a skill or command with a head. */
export const skill = (description: string, body: string, head = ''): string =>
  `---\ndescription: ${description}\n${head}---\n${body}`;

/** The words of one request, each with where it stands. */
export function orderIn(outcome: Outcome, words: readonly string[], request = 0): string[] {
  const said = JSON.stringify(outcome.requests[request]?.body.messages);
  const found = words.filter((word) => said.includes(word));
  return found.toSorted((left, right) => said.indexOf(left) - said.indexOf(right));
}

/** One message after the other, each after the result of the one before. */
export function talk(...prompts: string[]): (context: Context) => AsyncIterable<SDKUserMessage> {
  return async function* (context) {
    for (const [index, prompt] of prompts.entries()) {
      if (index > 0) await context.messages.waitFor(({ type }) => type === 'result', 'a result', index);
      yield says(prompt);
    }
  };
}

/** Notes what a hook was told, and answers nothing. */
export function noted(context: Context, input: object): object {
  const { hook_event_name: event } = input as { hook_event_name: string };
  context.note(event, input);
  return {};
}
