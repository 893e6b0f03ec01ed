// Shows a run to a person: the question, each call with its arguments and result, the answer.

import { stripVTControlCharacters, styleText } from 'node:util';
import { textOf } from './script.mjs';

const LINES_SHOWN = 12;
const COLUMNS_SHOWN = 160;

/** @param {Pick<NodeJS.WriteStream, 'write'> & { isTTY?: boolean }} [stream] */
export function terminal(stream = process.stdout) {
  const started = performance.now();
  /** @type {Map<string, { name: string, at: number }>} */
  const calls = new Map();

  /**
   * Colours only on a terminal.
   *
   * @param {Parameters<typeof styleText>[0]} style
   * @param {string} words
   */
  const paint = (style, words) =>
    stream.isTTY && !process.env.NO_COLOR ? styleText(style, words, { validateStream: false }) : words;

  /**
   * @param {string} label
   * @param {string} words
   */
  const print = (label, words) => {
    const seconds = ((performance.now() - started) / 1000).toFixed(2);
    const margin = ' '.repeat(18);
    const text = words.split('\n').join(`\n${margin}`);
    stream.write(`${paint('dim', `${seconds.padStart(6)} s`)}  ${paint('bold', label.padEnd(8))} ${text}\n`);
  };

  /** @param {import('tenon').SDKMessage} message */
  const show = (message) => {
    if (message.type === 'assistant') {
      for (const block of message.message.content) {
        if (block.type === 'text') print('answer', paint('green', stripVTControlCharacters(block.text)));
        if (block.type !== 'tool_use') continue;
        const name = String(block.name)
          .replace(/^mcp__/, '')
          .replace('__', '.');
        calls.set(block.id, { name, at: performance.now() });
        print('call', `${name}(${shorten(JSON.stringify(block.input))})`);
      }
    } else if (message.type === 'user' && Array.isArray(message.message.content)) {
      for (const block of message.message.content) {
        if (block.type === 'tool_result') print('result', resultLine(block));
      }
      const patch = patchLines(message.tool_use_result).map((line) => paint(colourOf(line), line));
      if (patch.length > 0) print('diff', patch.join('\n'));
    } else if (message.type === 'result') {
      const { num_turns, usage, subtype } = message;
      print('done', `${num_turns} turns, ${usage.output_tokens} output tokens, ${subtype}`);
    }
  };

  /** @param {{ tool_use_id: string, content?: unknown, is_error?: boolean | undefined }} block */
  const resultLine = (block) => {
    const call = calls.get(block.tool_use_id);
    const words = shorten(textOf(block.content));
    const shown = block.is_error ? paint('red', `error: ${words.replace(/^Error: /, '')}`) : words;
    if (call === undefined) return shown;
    const took = `${(performance.now() - call.at).toFixed(1)} ms`;
    const separator = shown.includes('\n') ? '\n' : ' ';
    return `${call.name} ${paint('dim', `(${took})`)} →${separator}${shown}`;
  };

  return { print, show, paint };
}

/**
 * What an edit has changed, as the agent tells the host.
 *
 * @param {unknown} detail
 * @returns {string[]}
 */
function patchLines(detail) {
  const { structuredPatch = [] } = /** @type {{ structuredPatch?: { lines: string[] }[] }} */ (detail ?? {});
  return structuredPatch.flatMap(({ lines }) => lines.map((line) => stripVTControlCharacters(line)));
}

/**
 * @param {string} line
 * @returns {Parameters<typeof styleText>[0]}
 */
function colourOf(line) {
  if (line.startsWith('+')) return 'green';
  return line.startsWith('-') ? 'red' : 'dim';
}

/**
 * Enough to recognise it; the model gets the full text.
 *
 * @param {string} words
 */
function shorten(words) {
  const lines = stripVTControlCharacters(words)
    .split('\n')
    .map((line) => (line.length > COLUMNS_SHOWN ? `${line.slice(0, COLUMNS_SHOWN)}…` : line));
  if (lines.length <= LINES_SHOWN) return lines.join('\n');
  return `${lines.slice(0, LINES_SHOWN).join('\n')}\n… ${lines.length - LINES_SHOWN} more lines`;
}
