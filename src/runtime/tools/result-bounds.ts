import { clock } from '../../protocol/base/clock.js';
import { endOfPage } from '../../protocol/base/cut-text.js';
import { OptionError } from '../../protocol/base/errors.js';
import { failedOutcome, OWN_TOOL, type RuntimeTool, type ToolOutcome } from './tool-port.js';

/** About 25,000 tokens. */
export const DEFAULT_MAX_RESULT_CHARS = 100_000;
/** What is kept for reading on; the oldest results are forgotten first. */
const KEPT_RESULTS = 50;
const KEPT_CHARS = 20_000_000;
/** What the APIs of models accept of images and documents: the base64 characters of one, of all in a result, and how many. */
const MAX_BLOB_CHARS = 5 * 1024 * 1024;
const MAX_BLOBS_CHARS = 2 * MAX_BLOB_CHARS;
const MAX_BLOBS = 20;

export const READ_ON = 'ReadToolResult';

type Block = Exclude<ToolOutcome['content'], string>[number];

/**
 * Keeps results to what a model can read: text over the limit is cut, and the model reads on with a tool; images and
 * documents that are too many or too large are replaced by a notice. The host still gets all of it, as the details.
 */
export class ResultBounds {
  readonly #maxChars: () => number;
  /** Whether the model may call the tool that reads on. */
  readonly #canReadOn: (tool: RuntimeTool) => boolean;
  #kept: Map<string, string> | undefined;
  #keptChars = 0;
  #reader: RuntimeTool | undefined;

  constructor(maxChars: () => number, canReadOn: (tool: RuntimeTool) => boolean) {
    this.#maxChars = maxChars;
    this.#canReadOn = canReadOn;
  }

  /** Whether anything was cut in this conversation, so that the model needs the tool. */
  get hasCut(): boolean {
    return this.#kept !== undefined;
  }

  /** What the model reads of a result; the outcome itself if that is all of it. */
  bound(tool: RuntimeTool | undefined, outcome: ToolOutcome): ToolOutcome {
    const { content } = outcome;
    const limit = tool?.maxResultChars ?? this.#maxChars();
    // A page is already as long as it may be.
    if (tool !== undefined && tool === this.#reader) return outcome;
    if (typeof content === 'string') {
      return content.length <= limit
        ? outcome
        : { ...outcome, content: this.#cut([content], limit).join('') };
    }
    const fitting = withoutExcess(content);
    const texts = fitting.flatMap((block) => (block.type === 'text' ? [block.text] : []));
    const chars = texts.reduce((sum, text) => sum + text.length, 0);
    if (chars <= limit) return fitting === content ? outcome : { ...outcome, content: fitting };
    const shown = this.#cut(texts, limit);
    return {
      ...outcome,
      content: fitting.flatMap((block) => (block.type === 'text' ? shownText(shown) : [block])),
    };
  }

  /** Reads on in a result that was cut. */
  get reader(): RuntimeTool {
    this.#reader ??= {
      name: READ_ON,
      description:
        'Reads on in the result of an earlier call that was too long and was cut. The notice at the cut says what to give.',
      inputSchema: {
        type: 'object',
        properties: {
          id: { type: 'string', description: 'as in the notice' },
          from: { type: 'integer', minimum: 0, description: 'how many characters to skip' },
        },
        required: ['id', 'from'],
      },
      ...OWN_TOOL,
      run: async ({ input }) => this.#readOn(String(input.id), input.from),
    };
    return this.#reader;
  }

  #readOn(id: string, from: unknown): ToolOutcome {
    const whole = this.#kept?.get(id);
    if (whole === undefined) {
      return failedOutcome(`There is no result "${id}" any more. Call the tool again, and ask for less.`);
    }
    const start = Number(from);
    if (!Number.isSafeInteger(start) || start < 0 || start >= whole.length) {
      return failedOutcome(
        `\`from\` must be a number from 0 to ${whole.length - 1}; it is ${JSON.stringify(from)}.`,
      );
    }
    const end = endOfPage(whole, start, this.#maxChars());
    const page = whole.slice(start, end);
    return { content: end === whole.length ? page : page + this.#notice(id, start, end, whole.length) };
  }

  /** What is shown of each text; texts after the cut are left out. */
  #cut(texts: readonly string[], limit: number): string[] {
    const id = clock.uuid();
    const whole = texts.join('\n');
    this.#keep(id, whole);
    const end = endOfPage(whole, 0, limit);
    const shown: string[] = [];
    let start = 0;
    for (const text of texts) {
      const isLast = start + text.length >= end;
      shown.push(isLast ? text.slice(0, end - start) + this.#notice(id, 0, end, whole.length) : text);
      if (isLast) break;
      start += text.length + 1;
    }
    return shown;
  }

  #notice(id: string, from: number, end: number, total: number): string {
    const more = this.#canReadOn(this.reader)
      ? `Read on with ${READ_ON} { "id": "${id}", "from": ${end} }, or call the tool again and ask for less.`
      : 'Call the tool again and ask for less.';
    return `\n\n[Cut here: characters ${from + 1} to ${end} of ${total}. ${more}]`;
  }

  #keep(id: string, whole: string): void {
    this.#kept ??= new Map();
    this.#kept.set(id, whole);
    this.#keptChars += whole.length;
    for (const [oldId, old] of this.#kept) {
      const isTooMuch = this.#kept.size > KEPT_RESULTS || this.#keptChars > KEPT_CHARS;
      if (!isTooMuch || oldId === id) return;
      this.#kept.delete(oldId);
      this.#keptChars -= old.length;
    }
  }
}

export function checkMaxResultChars(value: number | undefined): void {
  if (value === undefined || (Number.isSafeInteger(value) && value > 0)) return;
  throw new OptionError(
    'maxResultChars',
    value,
    `embedded({ maxResultChars }): must be a whole number above 0; it is ${String(value)}.`,
  );
}

function shownText(shown: string[]): Block[] {
  const text = shown.shift();
  return text === undefined ? [] : [{ type: 'text', text }];
}

/** The same list if nothing is too much. */
function withoutExcess(content: Block[]): Block[] {
  let count = 0;
  let chars = 0;
  let isChanged = false;
  const fitting = content.map((block): Block => {
    const size = blobChars(block);
    if (size === undefined) return block;
    const problem =
      size > MAX_BLOB_CHARS
        ? `it has ${size} base64 characters, and ${MAX_BLOB_CHARS} are the most`
        : count >= MAX_BLOBS
          ? `a result may have ${MAX_BLOBS}`
          : chars + size > MAX_BLOBS_CHARS
            ? `those of a result may have ${MAX_BLOBS_CHARS} base64 characters in all`
            : undefined;
    if (problem === undefined) {
      count += 1;
      chars += size;
      return block;
    }
    isChanged = true;
    return {
      type: 'text',
      text: `[One ${block.type} was left out: ${problem}. Ask for fewer or smaller ones.]`,
    };
  });
  return isChanged ? fitting : content;
}

/** Undefined for text. */
function blobChars(block: Block): number | undefined {
  if (block.type === 'text') return undefined;
  const { source } = block as { source?: { data?: unknown } };
  if (typeof source?.data === 'string') return source.data.length;
  return JSON.stringify(block).length;
}
