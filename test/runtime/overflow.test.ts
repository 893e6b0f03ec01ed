/** An error that means "too long" is recognized in the words of many APIs, and nothing else is (R44). */
import { describe, expect, it } from 'vitest';
import { isOverflow } from '../../src/runtime/context/overflow.js';
import { ModelError } from '../../src/runtime/index.js';

const error = (message: string, status?: number, type?: string) =>
  new ModelError(message, {
    ...(status === undefined ? {} : { status }),
    ...(type === undefined ? {} : { type }),
  });

describe('too long', () => {
  it.each<[string, ModelError]>([
    ['Anthropic', error('prompt is too long: 212345 tokens > 200000 maximum', 400)],
    [
      'Anthropic, with the answer',
      error('input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000', 400),
    ],
    ['Anthropic, by bytes', error('Request exceeds the maximum size', 413, 'request_too_large')],
    [
      'OpenAI, chat',
      error(
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
        400,
      ),
    ],
    ['OpenAI, by its code', error('Bad request', 400, 'context_length_exceeded')],
    [
      'OpenAI, responses',
      error(
        'Your input exceeds the context window of this model. Please adjust your input and try again.',
        400,
      ),
    ],
    ['Azure', error('Please reduce the length of the messages or completion.', 400)],
    [
      'Google',
      error('The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).', 400),
    ],
    ['Bedrock', error('Input is too long for requested model.', 400)],
    [
      'Bedrock, Converse',
      error('ValidationException: The model returned the following errors: prompt is too long', 400),
    ],
    [
      'Bedrock, other models',
      error('Too many input tokens. Max input tokens: 8192, request input token count: 9000', 400),
    ],
    [
      'Mistral',
      error(
        'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
        400,
      ),
    ],
    [
      'Groq',
      error('Please reduce the length of the messages or completion.', 400, 'context_length_exceeded'),
    ],
    [
      'xAI',
      error("This model's maximum prompt length is 131072 but the request contains 150000 tokens.", 400),
    ],
    ['Cohere', error('too many tokens: total number of tokens in the prompt cannot exceed 128000', 400)],
    [
      'vLLM',
      error("This model's maximum context length is 4096 tokens. However, you requested 5000 tokens", 400),
    ],
    [
      'llama.cpp',
      error(
        'the request exceeds the available context size, try increasing it',
        500,
        'exceed_context_size_error',
      ),
    ],
    [
      'LM Studio',
      error(
        'The number of tokens to keep from the initial prompt is greater than the context length. Context length exceeded',
        400,
      ),
    ],
    ['a stream without a status', error('prompt is too long')],
  ])('by %s', (_, thrown) => {
    expect(isOverflow(thrown)).toBe(true);
  });
});

describe('not too long', () => {
  it.each<[string, unknown]>([
    ['a limit by time', error('Rate limit reached: too many tokens per minute', 429)],
    ['a quota', error('Too many tokens: quota exceeded', 400)],
    ['another mistake', error('messages.0.content: field required', 400)],
    ['a bad key', error('prompt is too long', 401)],
    [
      'a limit on the answer',
      error('max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens', 400),
    ],
    ['an overloaded server', error('Overloaded', 529)],
    ['anything thrown', 'too bad'],
    ['nothing', undefined],
  ])('%s', (_, thrown) => {
    expect(isOverflow(thrown)).toBe(false);
  });
});
