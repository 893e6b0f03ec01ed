import { clock } from '../protocol/base/clock.js';
import { OptionError } from '../protocol/base/errors.js';
import { isRecord } from '../protocol/base/kinds.js';
import type { StreamEvent } from '../protocol/wire/content.js';
import {
  type Model,
  type ModelContext,
  ModelError,
  type ModelRequest,
  type PriceTable,
  type TokenCounts,
} from './model.js';
import { messageDelta, messageStart } from './model-events.js';

type Pieces = string | AsyncIterable<string>;

/** What a function may answer: text, at once or in pieces, or text and calls of tools. */
export type FunctionAnswer =
  | Pieces
  | {
      text?: Pieces | undefined;
      toolCalls?: readonly { name: string; input?: unknown; id?: string | undefined }[] | undefined;
      /** Tokens, if known. */
      usage?: Partial<TokenCounts> | undefined;
    };

export interface FunctionModelOptions {
  /** The name of the model in the conversation. Default: `function`. */
  name?: string | undefined;
  /** Dollars per million tokens, by name. */
  prices?: PriceTable | undefined;
}

/**
 * A model from a function: it gets each request in the form of the Messages API and returns the answer. What it throws
 * ends the turn; throw a `ModelError` with a `status` to have it treated like a failure of an API.
 */
export function modelFromFunction(
  answer: (request: ModelRequest, context: ModelContext) => FunctionAnswer | Promise<FunctionAnswer>,
  { name = 'function', prices }: FunctionModelOptions = {},
): Model {
  if (typeof answer !== 'function') {
    throw new OptionError(
      'answer',
      answer,
      'modelFromFunction(answer): `answer` must be a function (request) => answer.',
    );
  }
  return {
    name,
    prices,
    async *stream(request, context) {
      const given = await answer(request, context);
      yield* events(isPieces(given) ? { text: given } : checked(given), request.model);
    },
  };
}

/** The events of an answer that is text only, at once or in pieces: for a model of one's own. */
export function textToEvents(
  text: Pieces,
  { model, usage }: { model: string; usage?: Partial<TokenCounts> | undefined },
): AsyncIterable<StreamEvent> {
  return events({ text, usage }, model);
}

async function* events(
  { text = '', toolCalls = [], usage }: Exclude<FunctionAnswer, Pieces>,
  model: string,
): AsyncGenerator<StreamEvent, void> {
  yield messageStart(model, `msg_${clock.uuid()}`);
  let index = 0;
  for await (const piece of typeof text === 'string' ? [text] : text) {
    if (piece === '') continue;
    if (index === 0) {
      yield {
        type: 'content_block_start',
        index,
        content_block: { type: 'text', text: '', citations: null },
      };
      index = 1;
    }
    yield { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: piece } };
  }
  if (index === 1) yield { type: 'content_block_stop', index: 0 };
  for (const { name, input = {}, id = `toolu_${clock.uuid()}` } of toolCalls) {
    yield { type: 'content_block_start', index, content_block: { type: 'tool_use', id, name, input: {} } };
    const json = JSON.stringify(input);
    yield { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: json } };
    yield { type: 'content_block_stop', index };
    index += 1;
  }
  const counts = {
    input_tokens: 0,
    output_tokens: 0,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  };
  yield messageDelta(toolCalls.length > 0 ? 'tool_use' : 'end_turn', { ...counts, ...usage });
  yield { type: 'message_stop' };
}

function isPieces(value: unknown): value is Pieces {
  return typeof value === 'string' || (isRecord(value) && Symbol.asyncIterator in value);
}

function checked(answer: unknown): Exclude<FunctionAnswer, Pieces> {
  if (isRecord(answer) && ('text' in answer || 'toolCalls' in answer)) return answer;
  throw new ModelError(
    `The function of modelFromFunction() returned ${answer === null ? 'null' : typeof answer}. ` +
      'Return text, an async iterable of text, or { text, toolCalls }.',
  );
}
