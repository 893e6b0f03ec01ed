import { messageOf } from '../../protocol/base/errors.js';

/** What APIs and servers of models say when a request is longer than the context window. */
const TOO_LONG: readonly RegExp[] = [
  // Anthropic, also through Bedrock and Vertex.
  /prompt is too long/,
  /input length and `?max_tokens`? exceed context limit/,
  /request_too_large|request exceeds the maximum (allowed )?(size|number of bytes)/,
  // OpenAI, Azure, and the many servers that speak like them.
  /context_length_exceeded|context_window_exceeded|model_context_window_exceeded/,
  /maximum context length/,
  /exceeds? (the |its |this )?(model'?s? )?(maximum |max |available )?context (length|window|size|limit)/,
  /(input|prompt|request|messages|conversation)\b.{0,40}\b(too long|too large|too many tokens)/,
  /too many (input |prompt )?tokens(?! per)/,
  /reduce the length of (the |your )?(messages|prompt|input|either)/,
  // Google.
  /input token count.{0,40}exceeds the maximum/,
  /exceeds the maximum number of (input )?tokens/,
  // Bedrock.
  /input is too long( for requested model)?/,
  /too many input tokens/,
  /maximum (number of )?(input )?tokens.{0,20}exceed/,
  // Mistral, Cohere, Groq, xAI, vLLM, llama.cpp, Ollama, LM Studio.
  /too large for model with \d+ maximum context length/,
  /total number of tokens.{0,40}(exceeds|cannot exceed)/,
  /maximum prompt length is \d+/,
  /context (length|size|window).{0,40}(exceeded|overflow|too small)/,
  /(exceed|overflow)\w* (the )?(available )?context/,
  /prompt.{0,40}longer than.{0,20}(context|maximum)/,
];

/** Limits on tokens by time say "too many tokens" too, and another request would not help. */
const BY_TIME = /rate.?limit|per (minute|second|hour|day)|quota|tpm|throttl/;

/** Whether the error of a model means that the request was too long, and not that something else is wrong with it. */
export function isOverflow(error: unknown): boolean {
  const { status, type, cause } = (error ?? {}) as { status?: unknown; type?: unknown; cause?: unknown };
  if (status === 413) return true;
  // What has another status has another reason; some servers answer 500 for this one.
  if (typeof status === 'number' && status !== 400 && status !== 422 && status !== 500) return false;
  const code = (cause as { code?: unknown } | undefined)?.code;
  const words = `${messageOf(error)} ${String(type ?? '')} ${String(code ?? '')}`.toLowerCase();
  return !BY_TIME.test(words) && TOO_LONG.some((pattern) => pattern.test(words));
}
