import type { CallToolResult, McpContentBlock, McpResourceContents } from '../../mcp/types.js';
import { clock } from '../../protocol/base/clock.js';
import { endOfPage } from '../../protocol/base/cut-text.js';

const SCHEME = 'tenon-result:';
/** Kept per server value; the oldest results are forgotten first. */
const KEPT_RESULTS = 100;
const KEPT_CHARS = 100_000_000;

/** The most that one read returns: the CLI puts longer results into a file, whatever the tool's limit is. */
const MAX_PAGE_CHARS = 25_000;

/** How far a cut text may exceed the limit: room for the mark and for what the CLI adds about other blocks. */
export const MARK_ROOM = 1_000;

interface LongResult {
  text: string;
  /** The limit of its tool: one read returns no more than one call does. */
  maxChars: number;
}

/** Results that were too long for the model, kept so that it can read on from the cut. */
export class LongResults {
  readonly #results = new Map<string, LongResult>();
  #keptChars = 0;

  /** Cuts the text of a result to `maxChars` and says where the rest is. */
  cut(result: CallToolResult, maxChars: number): CallToolResult {
    const total = result.content.reduce((sum, block) => sum + textLength(block), 0);
    if (total <= maxChars) return result;
    const texts = result.content.filter((block) => block.type === 'text');
    const whole = { text: texts.map(({ text }) => text).join('\n'), maxChars };
    // Unguessable: a server may have clients that must not read each other's results.
    const id = clock.uuid();
    this.#keep(id, whole);
    const others = result.content.filter((block) => block.type !== 'text');
    return { ...result, content: [{ type: 'text', text: page(id, whole, 0) }, ...others] };
  }

  /** The text behind one of our URIs, from its offset on; undefined for any other URI. */
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
  const end = endOfPage(text, from, Math.min(maxChars, atMost));
  const shown = text.slice(from, end);
  if (end >= text.length) return shown;
  return (
    `${shown}\n\n[Cut here: characters ${from + 1} to ${end} of ${text.length}. ` +
    `Read on with the resource ${SCHEME}${id}?from=${end}]`
  );
}

function textLength(block: McpContentBlock): number {
  return block.type === 'text' ? block.text.length : 0;
}
