/** What a reader makes of events: turns, each told once. */
import type { HostEvent, HostMessage, PromptOutcome } from '../../../../src/host/index.js';
import type { SessionMessage } from '../../../../src/sessions/session-info.js';

export interface Turn {
  /** The id of its prompt. */
  readonly id: string;
  readonly prompt: string;
  /** What was said after the prompt. */
  readonly words: string[];
  /** What was told of it as it was written. */
  written: string;
  /** The ids of questions to people, and of those that were answered. */
  readonly asked: string[];
  readonly answered: string[];
  outcome?: PromptOutcome;
}

const PROMPT = /^[^\s/]+\/\d+:/;

/**
 * Follows the rules for readers: a user message with a prompt begins a turn, `done` ends it, and `resumed` voids everything
 * from the prompt on. Throws if a turn begins before the one before it is done, or twice, or if anything is said outside.
 */
export function fold(events: readonly HostEvent[]): Turn[] {
  const turns: Turn[] = [];
  for (const { id, message } of events) {
    const open = turns.at(-1)?.outcome === undefined ? turns.at(-1) : undefined;
    const wrong = (what: string): Error =>
      new Error(`event ${id} ${what}: ${JSON.stringify(message).slice(0, 300)}`);
    const prompt = promptOf(message);
    if (prompt !== undefined) {
      if (open !== undefined) throw wrong(`begins a turn while "${open.prompt}" is not done`);
      if (turns.some((turn) => turn.id === prompt.id)) throw wrong('begins a turn that was told already');
      turns.push({ ...prompt, words: [], written: '', asked: [], answered: [] });
    } else if (message.type === 'host') {
      followNotice(turns, open, message, wrong);
    } else {
      if (open === undefined && isSaid(message)) throw wrong('is said outside of a turn');
      open?.words.push(...wordsOf(message));
      if (open !== undefined) open.written += writtenIn(message);
    }
  }
  return turns;
}

type Notice = Extract<HostMessage, { type: 'host' }>;

function followNotice(
  turns: Turn[],
  open: Turn | undefined,
  notice: Notice,
  wrong: (what: string) => Error,
): void {
  if (notice.subtype === 'resumed') {
    if (turns.at(-1)?.id === notice.prompt) turns.pop();
    else if (turns.some((turn) => turn.id === notice.prompt)) throw wrong('voids a turn that others follow');
  }
  if (notice.subtype === 'approval') {
    if (open?.id !== notice.prompt) throw wrong('asks for a turn that is not open');
    open.asked.push(notice.approval.id);
  }
  if (notice.subtype === 'answered') open?.answered.push(notice.approval);
  if (notice.subtype !== 'done') return;
  if (open?.id !== notice.prompt) throw wrong('ends a turn that is not open');
  open.outcome = notice.outcome;
}

function promptOf(message: HostMessage): { id: string; prompt: string } | undefined {
  if (message.type !== 'user') return undefined;
  const prompt = textOf(message.message.content);
  return PROMPT.test(prompt) ? { id: message.uuid ?? '', prompt } : undefined;
}

const isSaid = ({ type }: HostMessage): boolean => type === 'user' || type === 'assistant';

function writtenIn(message: HostMessage): string {
  if (message.type !== 'stream_event' || message.event.type !== 'content_block_delta') return '';
  const { delta } = message.event;
  return delta.type === 'text_delta' ? delta.text : '';
}

/** The turns of a transcript, in the same form. */
export function turnsOf(messages: readonly SessionMessage[]): Pick<Turn, 'id' | 'prompt' | 'words'>[] {
  const turns: Pick<Turn, 'id' | 'prompt' | 'words'>[] = [];
  for (const { uuid, ...said } of messages) {
    const message = { ...said, uuid } as HostMessage;
    const prompt = promptOf(message);
    if (prompt !== undefined) turns.push({ ...prompt, words: [] });
    else turns.at(-1)?.words.push(...wordsOf(message));
  }
  return turns;
}

function wordsOf(message: HostMessage): string[] {
  if (message.type !== 'user' && message.type !== 'assistant') return [];
  const { content } = message.message;
  if (typeof content === 'string') return [`${message.type}: ${content}`];
  return (content as { type: string; text?: string; name?: string; content?: unknown }[]).map((block) => {
    if (block.type === 'tool_use') return `calls ${block.name}`;
    return `${block.type === 'tool_result' ? 'result' : message.type}: ${textOf(block.content ?? block.text)}`;
  });
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return String(content ?? '');
  return content.map((block) => (block as { text?: string }).text ?? '').join('');
}
