import { OptionError } from '../../index.js';
import { messageOf } from '../../protocol/base/errors.js';
import { isRecord } from '../../protocol/base/kinds.js';
import type { Model, ModelRequest, ModelTool } from '../../runtime/model.js';
import { buildMessage, idSequence } from '../../testing/script/message.js';
import { playMessage } from '../../testing/script/play.js';
import { type MessageStep, text, toolUses } from '../../testing/script/steps.js';
import { quotedWords } from '../arguments/quoted-words.js';
import { readCallArguments } from '../call/read-arguments.js';
import { shownName } from '../run/tool-text.js';
import { argumentsOf, typeText } from '../tools/schema.js';

/** It costs nothing. */
const USAGE = { input_tokens: 0, output_tokens: 0 };

/**
 * Stands in for a model where there is none, so that tools can be tried in a conversation. It understands nothing: a
 * prompt that is written like a call becomes one, and its result is quoted.
 */
export function rehearsalModel(): Model {
  const ids = idSequence();
  return {
    name: 'rehearsal',
    async *stream(request, { signal }) {
      const step = answerTo(request);
      yield* playMessage(buildMessage(step, request.model, ids), step, signal);
    },
  };
}

function answerTo({ messages, tools }: ModelRequest): MessageStep {
  const content = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  const blocks = typeof content === 'string' ? [] : content;
  const results = blocks.filter((block) => block.type === 'tool_result');
  if (results.length > 0) return said(results.map((result) => quoted(result, messages)).join('\n'));
  const prompt = typeof content === 'string' ? content : textOf(content);
  try {
    const calls = callsIn(prompt, tools);
    return calls.length > 0 ? toolUses(calls, { usage: USAGE }) : said(explanation(tools));
  } catch (error) {
    if (!(error instanceof OptionError)) throw error;
    return said(`That call cannot be made: ${messageOf(error)}`);
  }
}

function said(words: string): MessageStep {
  return text(words, { usage: USAGE });
}

interface Call {
  readonly name: string;
  readonly input: Record<string, unknown>;
}

/** One call for each line that begins with the name of a tool. */
function callsIn(prompt: string, tools: readonly ModelTool[]): Call[] {
  const lines = prompt.split('\n').map((line) => line.trim());
  return lines.flatMap((line) => {
    const [, name = '', rest = ''] = /^(?:call\s+)?(\S+)\s*([\s\S]*)$/.exec(line) ?? [];
    const tool = tools.find((each) => namesOf(each).includes(name));
    if (tool === undefined) return [];
    return [{ name: tool.name, input: inputOf(rest, tool) }];
  });
}

/** `stock`, `shop.stock`, `mcp__shop__stock`. */
function namesOf({ name }: ModelTool): string[] {
  const short = shownName(name);
  return [name, short, short.slice(short.indexOf('.') + 1)];
}

function inputOf(rest: string, { input_schema: schema }: ModelTool): Record<string, unknown> {
  if (!rest.startsWith('{')) {
    const words = quotedWords(rest);
    if (words === undefined) throw new OptionError('arguments', rest, 'a quote is not closed.');
    return readCallArguments(words, schema);
  }
  try {
    const value: unknown = JSON.parse(rest);
    if (isRecord(value)) return value;
  } catch (error) {
    throw new OptionError('arguments', rest, `the arguments are not JSON: ${messageOf(error)}.`);
  }
  throw new OptionError('arguments', rest, 'the arguments must be one object.');
}

type Block = Exclude<ModelRequest['messages'][number]['content'], string>[number];

function quoted(result: Block, messages: ModelRequest['messages']): string {
  const {
    tool_use_id: id,
    content,
    is_error: isError,
  } = result as {
    tool_use_id: string;
    content?: unknown;
    is_error?: boolean;
  };
  const uses = messages.flatMap(({ content: blocks }) => (typeof blocks === 'string' ? [] : blocks));
  const call = uses.find((block) => block.type === 'tool_use' && block.id === id) as
    | { name?: string }
    | undefined;
  const words = typeof content === 'string' ? content : Array.isArray(content) ? textOf(content) : '';
  const name = shownName(call?.name);
  if (isError === true) return `${name} failed: ${words}`;
  return words.trim() === '' ? `${name} answered with an empty result.` : `${name} answered: ${words}`;
}

function textOf(blocks: readonly object[]): string {
  const shown = (block: { type?: string; text?: string }): string => block.text ?? `[${block.type}]`;
  return blocks.map(shown).join('\n');
}

function explanation(tools: readonly ModelTool[]): string {
  const calls = tools.map((tool) => `  ${example(tool)}`);
  return [
    'I am a rehearsal model: I understand nothing, but I call your tools. Write a call, one on each line:',
    ...(calls.length === 0 ? ['  (there are no tools)'] : calls),
    'A value may be quoted; name:=<JSON> takes JSON, and so does the whole: call stock {"product":"hammer"}',
  ].join('\n');
}

function example(tool: ModelTool): string {
  const [, , short = ''] = namesOf(tool);
  const words = argumentsOf(tool.input_schema)
    .filter(({ isRequired, path }) => isRequired && !path.includes('.'))
    .map(({ path, schema }) => `${path}=<${typeText(tool.input_schema, schema)}>`);
  return [short, ...words].join(' ');
}
