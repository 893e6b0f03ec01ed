/** Plays an example on either back end and records the calls and their results. */
import type { Options, SDKMessage, SDKResultMessage } from 'tenon';
import { cliPath } from '../../test/support/real-cli.js';
import { type Example, runExample } from './agent.mjs';
import { type Call, textOf } from './script.mjs';

export type Backend = 'embedded' | 'cli';

/** For `describe.each`. */
export const backends: readonly Backend[] = ['embedded', 'cli'];

export interface Played {
  readonly result: SDKResultMessage;
  readonly answer: string;
  readonly calls: readonly { tool: string; input: unknown; text: string; isError: boolean }[];
  readonly messages: readonly SDKMessage[];
}

export async function play(example: Example, backend: Backend, options: Options = {}): Promise<Played> {
  const messages: SDKMessage[] = [];
  const own = backend === 'cli' ? { pathToClaudeCodeExecutable: cliPath } : {};
  const show = (message: SDKMessage) => void messages.push(message);
  const result = await runExample(example, { backend, show, options: { ...own, ...options } });
  const answer = result.subtype === 'success' ? result.result : '';
  return { result, answer, calls: callsIn(messages), messages };
}

/** Calls the example's tools as the test says, all in one answer of the model. */
export async function callTools(
  example: Example,
  backend: Backend,
  calls: readonly Call[],
): Promise<Played['calls']> {
  const script: Example['script'] = ({ index }) => (index === 0 ? calls : 'Done.');
  // Leaves out `conclude`, which does not matter here.
  const open: Example['open'] = async (surroundings) => {
    const { conclude: _, ...opened } = await example.open(surroundings);
    return opened;
  };
  const played = await play({ ...example, open, script }, backend);
  return played.calls;
}

function callsIn(messages: readonly SDKMessage[]): Played['calls'] {
  const blocks = messages.flatMap((message) =>
    message.type === 'user' && Array.isArray(message.message.content) ? message.message.content : [],
  );
  return messages
    .flatMap((message) => (message.type === 'assistant' ? message.message.content : []))
    .flatMap((use) => {
      if (use.type !== 'tool_use') return [];
      const result = blocks.find((block) => block.type === 'tool_result' && block.tool_use_id === use.id);
      if (result?.type !== 'tool_result') throw new Error(`The call of ${use.name} has no result.`);
      return [
        {
          tool: use.name.split('__').at(-1) ?? '',
          input: use.input,
          text: textOf(result.content),
          isError: result.is_error === true,
        },
      ];
    });
}
