/**
 * @typedef {{ name: string, result: string, isError: boolean }} MadeCall
 * @typedef {{ prompt: string, calls: readonly MadeCall[] }} Turn what was said last, and what was called since
 * @typedef {import('tenon/testing').RequestMessage} RequestMessage
 * @typedef {import('tenon/testing').RequestBlock} RequestBlock
 */

/** What an agent says on its own account, between the words of people. */
const OF_THE_AGENT =
  /^\s*(<system-reminder>|\[MESSAGE FROM NON-USER|\[Request interrupted|Continue from where you left off)/;

/**
 * @param {readonly RequestMessage[]} messages
 * @returns {Turn}
 */
export function readTurn(messages) {
  const start = messages.findLastIndex((message) => message.role === 'user' && promptIn(message) !== '');
  const turn = messages.slice(Math.max(start, 0));
  const results = new Map(
    turn
      .flatMap(blocksOf)
      .flatMap((block) => (block.type === 'tool_result' ? [[block.tool_use_id, block]] : [])),
  );
  const calls = turn
    .filter(({ role }) => role === 'assistant')
    .flatMap(blocksOf)
    .flatMap((block) => {
      const result = block.type === 'tool_use' ? results.get(block.id) : undefined;
      if (result === undefined) return [];
      return [{ name: String(block.name), result: textOf(result), isError: result.is_error === true }];
    });
  return { prompt: start === -1 ? '' : promptIn(messages[start]), calls };
}

/** @param {RequestMessage | undefined} message */
function promptIn(message) {
  const blocks = message === undefined ? [] : blocksOf(message);
  if (blocks.some(({ type }) => type === 'tool_result')) return '';
  const texts = blocks.map(({ text = '' }) => text);
  return texts
    .filter((words) => !OF_THE_AGENT.test(words))
    .join('\n')
    .trim();
}

/** @param {RequestMessage} message @returns {readonly RequestBlock[]} */
function blocksOf({ content }) {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** @param {RequestBlock} result */
function textOf({ content }) {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map(({ text = '' }) => text).join('\n') : '';
}
