// A conversation as it is shown, made of the events of the host. Nothing here knows of the page, and the same events in the
// same order always make the same conversation: after a reload they are simply read again.

/**
 * @typedef {{ kind: 'text' | 'thinking', key: string, message: string, text: string, isWhole: boolean }} TextPart
 * @typedef {{ text: string, isError: boolean }} ToolResult
 * @typedef {{ kind: 'tool', key: string, message: string, name: string, input: Record<string, unknown> | undefined, draft: string, result: ToolResult | undefined, question: Question | undefined }} ToolPart
 * @typedef {{ kind: 'question', key: string, question: Question }} QuestionPart
 * @typedef {TextPart | ToolPart | QuestionPart} Part
 *
 * @typedef {import('tenon/host').HostApproval} Approval
 * @typedef {import('tenon/host').HostAnswer} Answer
 * @typedef {{ approval: Approval, state: 'open' | 'answered' | 'closed', answer: Answer | undefined }} Question
 *
 * @typedef {object} Turn
 * @property {string} id of the prompt
 * @property {string | undefined} prompt undefined: it is no longer kept
 * @property {Part[]} parts
 * @property {import('tenon/host').PromptOutcome | undefined} outcome undefined: it is not over
 * @property {string | undefined} failure what went wrong
 *
 * @typedef {{ id: number, message: import('tenon/host').HostMessage }} Event
 * @typedef {Extract<import('tenon/host').HostMessage, { type: 'stream_event' }>} StreamEvent
 * @typedef {Extract<import('tenon/host').HostMessage, { type: 'user' }>} UserMessage
 * @typedef {Extract<import('tenon/host').HostMessage, { type: 'assistant' }>} AssistantMessage
 */

export class Conversation {
  /** @type {Turn[]} */
  turns = [];
  /** The id of the last event. */
  last = 0;
  /** Why nothing goes on, until somebody has looked at it. @type {string | undefined} */
  parked;
  /** How many events are no longer kept. */
  missed = 0;
  /** The message that is being written: its id, and its blocks by their numbers. */
  #writing = { message: '', /** @type {Map<number, TextPart | ToolPart>} */ blocks: new Map() };

  /** The turn that is not over. */
  get running() {
    const turn = this.turns.at(-1);
    return turn?.outcome === undefined ? turn : undefined;
  }

  /** The questions that wait for an answer. @returns {Question[]} */
  get open() {
    return (this.running?.parts ?? []).flatMap((part) =>
      'question' in part && part.question?.state === 'open' ? [part.question] : [],
    );
  }

  /** @param {Event} event */
  apply({ id, message }) {
    this.last = id;
    // A subagent's words are part of the call that has started it.
    if ('parent_tool_use_id' in message && message.parent_tool_use_id != null) return;
    if (message.type === 'user') this.#user(message);
    else if (message.type === 'assistant') this.#assistant(message);
    else if (message.type === 'stream_event') this.#stream(message.event);
    else if (message.type === 'result') this.#turn().failure = failureOf(message);
    else if (message.type === 'host') this.#host(message);
  }

  /** @param {UserMessage} message */
  #user(message) {
    const { content } = message.message;
    const blocks =
      typeof content === 'string' ? [{ type: /** @type {const} */ ('text'), text: content }] : content;
    const results = blocks.filter((block) => block.type === 'tool_result');
    for (const result of results) this.#result(result);
    if (results.length > 0) return;
    const { running } = this;
    // During a turn the agent says things in the user's name, such as that it was interrupted.
    if (running !== undefined && running.id !== message.uuid) return;
    const prompt = blocks.map((block) => ('text' in block ? block.text : `[${block.type}]`)).join('\n');
    // Told again: what was told of it before is void.
    if (running !== undefined) Object.assign(running, { prompt, parts: [], failure: undefined });
    else this.turns.push(newTurn(message.uuid ?? '', prompt));
    this.parked = undefined;
  }

  /** @param {{ tool_use_id: string, content?: unknown, is_error?: boolean | undefined }} block */
  #result({ tool_use_id, content, is_error }) {
    const part = this.#tool(tool_use_id);
    if (part === undefined) return;
    part.result = { text: textOf(content), isError: is_error === true };
    if (part.question?.state === 'open') part.question.state = 'closed';
  }

  /** The whole message, a block at a time; what was streamed of it is replaced. @param {AssistantMessage} message */
  #assistant({ message: { id, content } }) {
    const { parts } = this.#turn();
    for (const block of content) {
      if (block.type === 'tool_use') {
        const input = /** @type {Record<string, unknown>} */ (block.input);
        const known = this.#tool(block.id);
        if (known === undefined) parts.push(newTool(block.id, id, block.name, input));
        else known.input = input;
      } else if (block.type === 'text' || block.type === 'thinking') {
        const { type } = block;
        const text = block.type === 'text' ? block.text : block.thinking;
        const streamed = parts.find((part) => part.kind === type && part.message === id && !part.isWhole);
        if (streamed !== undefined) Object.assign(streamed, { text, isWhole: true });
        else parts.push({ kind: type, key: `${id} ${parts.length}`, message: id, text, isWhole: true });
      }
    }
  }

  /** @param {StreamEvent['event']} event */
  #stream(event) {
    const turn = this.#turn();
    if (event.type === 'message_start') {
      // The attempt before was given up, if it was not told as a whole.
      turn.parts = turn.parts.filter(isTold);
      this.#writing = { message: event.message.id, blocks: new Map() };
    } else if (event.type === 'content_block_start') {
      const { message, blocks } = this.#writing;
      const part = newBlock(event.content_block, message, `${message} ${event.index}`);
      if (part === undefined) return;
      blocks.set(event.index, part);
      turn.parts.push(part);
    } else if (event.type === 'content_block_delta') {
      const part = this.#writing.blocks.get(event.index);
      if (part === undefined) return;
      const { delta } = event;
      if (part.kind === 'tool') part.draft += delta.type === 'input_json_delta' ? delta.partial_json : '';
      else if (delta.type === 'text_delta') part.text += delta.text;
      else if (delta.type === 'thinking_delta') part.text += delta.thinking;
    }
  }

  /** @param {import('tenon/host').HostNotice} notice */
  #host(notice) {
    switch (notice.subtype) {
      case 'approval':
        return this.#asked(notice.approval);
      case 'answered':
        return this.#settle(notice.approval, { state: 'answered', answer: notice.answer });
      case 'withdrawn':
        return this.#settle(notice.approval, { state: 'closed' });
      case 'resumed': {
        const turn = this.turns.find(({ id }) => id === notice.prompt);
        if (turn !== undefined) turn.parts = [];
        return;
      }
      case 'done':
        return this.#done(notice.prompt, notice.outcome);
      case 'parked':
        this.parked = notice.reason;
        return;
      case 'missed':
        this.missed += notice.count;
    }
  }

  /** @param {Approval} approval */
  #asked(approval) {
    /** @type {Question} */
    const question = { approval, state: 'open', answer: undefined };
    const { parts } = this.#turn();
    const tool = approval.kind === 'elicitation' ? undefined : this.#tool(approval.toolUseId);
    if (tool !== undefined) {
      tool.question = question;
      tool.input ??= approval.kind === 'elicitation' ? {} : approval.input;
    } else if (!parts.some(({ key }) => key === approval.id)) {
      parts.push({ kind: 'question', key: approval.id, question });
    }
  }

  /** @param {string} id @param {Partial<Question>} change */
  #settle(id, change) {
    for (const { parts } of this.turns)
      for (const part of parts)
        if ('question' in part && part.question?.approval.id === id) Object.assign(part.question, change);
  }

  /** @param {string} id @param {NonNullable<Turn['outcome']>} outcome */
  #done(id, outcome) {
    const turn = this.turns.find((each) => each.id === id) ?? this.running;
    if (turn === undefined) return;
    turn.outcome = outcome;
    for (const part of turn.parts)
      if ('question' in part && part.question?.state === 'open') part.question.state = 'closed';
  }

  /** @param {string} id */
  #tool(id) {
    for (const { parts } of this.turns.toReversed()) {
      const part = parts.find((each) => each.kind === 'tool' && each.key === id);
      if (part?.kind === 'tool') return part;
    }
    return undefined;
  }

  /** The running turn. If its beginning is no longer kept it has no prompt. */
  #turn() {
    if (this.running === undefined) this.turns.push(newTurn('', undefined));
    return /** @type {Turn} */ (this.turns.at(-1));
  }
}

/** @param {string} id @param {string | undefined} prompt @returns {Turn} */
const newTurn = (id, prompt) => ({ id, prompt, parts: [], outcome: undefined, failure: undefined });

/**
 * @param {string} key
 * @param {string} message
 * @param {string} name
 * @param {Record<string, unknown>} [input]
 * @returns {ToolPart}
 */
const newTool = (key, message, name, input) => ({
  kind: 'tool',
  key,
  message,
  name,
  input,
  draft: '',
  result: undefined,
  question: undefined,
});

/**
 * @param {Extract<StreamEvent['event'], { type: 'content_block_start' }>['content_block']} block
 * @param {string} message
 * @param {string} key
 */
function newBlock(block, message, key) {
  if (block.type === 'tool_use') return newTool(block.id, message, block.name);
  if (block.type !== 'text' && block.type !== 'thinking') return undefined;
  /** @type {TextPart} */
  const part = { kind: block.type, key, message, text: '', isWhole: false };
  return part;
}

/** @param {Part} part */
function isTold(part) {
  if (part.kind === 'tool') return part.input !== undefined;
  return part.kind === 'question' || part.isWhole;
}

/** @param {import('tenon').SDKResultMessage} result */
function failureOf(result) {
  if (result.subtype !== 'success') return result.errors?.join('\n') || result.subtype.replaceAll('_', ' ');
  return result.is_error ? result.result : undefined;
}

/** @param {unknown} content @returns {string} */
function textOf(content) {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
}

/**
 * What a call is doing.
 *
 * @param {ToolPart} part
 * @param {Turn} turn
 * @returns {'writing' | 'asking' | 'running' | 'done' | 'failed' | 'refused' | 'stopped'}
 */
export function stateOf({ input, result, question }, { outcome }) {
  const isRefused = decisionOf(question)?.behavior === 'deny';
  if (result !== undefined && !result.isError) return 'done';
  if (isRefused) return 'refused';
  if (outcome === 'interrupted') return 'stopped';
  if (result !== undefined) return 'failed';
  if (outcome !== undefined) return 'stopped';
  if (question?.state === 'open') return 'asking';
  return input === undefined ? 'writing' : 'running';
}

/**
 * What a person has decided about a call.
 *
 * @param {Question | undefined} question
 * @returns {import('tenon').PermissionResult | undefined}
 */
export function decisionOf(question) {
  const answer = question?.answer;
  if (answer === undefined || !('behavior' in answer)) return undefined;
  return /** @type {import('tenon').PermissionResult} */ (answer);
}

/**
 * The input that a call is made with: the model's, unless a person has changed it.
 *
 * @param {ToolPart} part
 */
export function inputOf({ input, question }) {
  const decision = decisionOf(question);
  return decision?.behavior === 'allow' && decision.updatedInput != null ? decision.updatedInput : input;
}
