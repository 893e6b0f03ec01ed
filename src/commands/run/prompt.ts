import { text } from 'node:stream/consumers';
import { OptionError } from '../../index.js';

/** The prompt from the command line; `-` means stdin, alone or after a prompt. */
export async function readPrompt(positionals: readonly string[]): Promise<string> {
  const words = positionals.filter((word) => word !== '-');
  if (words.length > 1) {
    throw new OptionError(
      'prompt',
      words[1],
      `"${words[1]}" is one argument too many. Put quotes around the prompt: tenon run "${words.join(' ')}"`,
    );
  }
  const wantsInput = positionals.includes('-') || (words.length === 0 && process.stdin.isTTY !== true);
  const input = wantsInput ? (await text(process.stdin)).trim() : '';
  const prompt = [...words, input].filter((part) => part.trim() !== '').join('\n\n');
  if (prompt !== '') return prompt;
  throw new OptionError(
    'prompt',
    prompt,
    `a prompt is required${wantsInput ? ', and stdin was empty' : ''}: tenon run "What is 15 + 27?" --tools ./tools.js. ` +
      'Without one, tenon run is a conversation, which needs a terminal.',
  );
}
