import type { CallToolResult, McpContentBlock, McpResourceContents } from '../../protocol/mcp.js';

const SCHEME = 'tenon-result:';
/** Of each server value; older results are forgotten first. */
const KEPT_RESULTS = 100;
const KEPT_CHARS = 100_000_000;

/** At most this much in one reading: the CLI puts what is longer into a file, whatever the tool's limit is. */
const MAX_PAGE_CHARS = 25_000;

/** How far a text that was cut may be above the limit: the mark, and what the CLI says of other blocks beside it. */
export const MARK_ROOM = 1_000;

interface LongResult {
  text: string;
  /** The limit of its tool: one reading gives no more than one call. */
  maxChars: number;
}

/** Results that were too long for the model, kept so that it can read on where the cut was made. */
export class LongResults {
  readonly #results = new Map<string, LongResult>();
  #keptChars = 0;

  /** Cuts the text of a result to `maxChars` and says where the rest is. */
  cut(result: CallToolResult, maxChars: number): CallToolResult {
    const total = result.content.reduce((sum, block) => sum + textLength(block), 0);
    if (total <= maxChars) return result;
    const texts = result.content.filter((block) => block.type === 'text');
    const whole = { text: texts.map(({ text }) => text).join('\n'), maxChars };
    // Not a number: a server may have clients that must not read each other's results.
    const id = crypto.randomUUID();
    this.#keep(id, whole);
    const others = result.content.filter((block) => block.type !== 'text');
    return { ...result, content: [{ type: 'text', text: page(id, whole, 0) }, ...others] };
  }

  /** The resource behind a URI of ours, from where it says; undefined for any other URI. */
  read(uri: string): McpResourceContents | undefined {
    const [, id, from] = /^tenon-result:([\w-]+)\?from=(\d+)$/.exec(uri) ?? [];
    const whole = id === undefined ? undefined : this.#results.get(id);
    if (id === undefined || whole === undefined) return undefined;
    return { uri, mimeType: 'text/plain', text: page(id, whole, Number(from), MAX_PAGE_CHARS) };
  }

  #keep(id: string, result: LongResult): void {
    this.#results.set(id, result);
    this.#keptChars += result.text.length;
    for (const [oldId, old] of this.#results) {
      const isTooMuch = this.#results.size > KEPT_RESULTS || this.#keptChars > KEPT_CHARS;
      if (!isTooMuch || oldId === id) return;
      this.#results.delete(oldId);
      this.#keptChars -= old.text.length;
    }
  }
}

function page(id: string, { text, maxChars }: LongResult, from: number, atMost = maxChars): string {
  let end = Math.min(from + Math.min(maxChars, atMost), text.length);
  // Not in the middle of a surrogate pair: half a character would be sent as a broken one.
  if (end < text.length && isSurrogatePair(text, end - 1)) end += end - 1 > from ? -1 : 1;
  const shown = text.slice(from, end);
  if (end >= text.length) return shown;
  return (
    `${shown}\n\n[Cut here: characters ${from + 1} to ${end} of ${text.length}. ` +
    `Read on with the resource ${SCHEME}${id}?from=${end}]`
  );
}

function isSurrogatePair(text: string, index: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(index, index + 2));
}

function textLength(block: McpContentBlock): number {
  return block.type === 'text' ? block.text.length : 0;
}
