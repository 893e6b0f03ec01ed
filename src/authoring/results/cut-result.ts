import type { CallToolResult, McpContentBlock, McpResourceContents } from '../../protocol/mcp.js';

const SCHEME = 'tenon-result:';
/** Of each server value; older results are forgotten first. */
const KEPT_RESULTS = 100;

/** Results that were too long for the model, kept so that it can read on where the cut was made. */
export class LongResults {
  readonly #texts = new Map<string, string>();
  #next = 1;

  /** Cuts the text of a result to `maxChars` and says where the rest is. */
  cut(result: CallToolResult, maxChars: number): CallToolResult {
    const total = result.content.reduce((sum, block) => sum + textLength(block), 0);
    if (total <= maxChars) return result;
    const whole = result.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    const id = String(this.#next++);
    this.#texts.set(id, whole);
    if (this.#texts.size > KEPT_RESULTS) this.#texts.delete(this.#texts.keys().next().value ?? '');
    const others = result.content.filter((block) => block.type !== 'text');
    const { structuredContent: _tooLong, ...rest } = result;
    return { ...rest, content: [{ type: 'text', text: this.#page(id, whole, 0, maxChars) }, ...others] };
  }

  /** The resource behind a URI of ours, from where it says; undefined for any other URI. */
  read(uri: string, maxChars: number): McpResourceContents | undefined {
    const [, id, from] = /^tenon-result:(\d+)\?from=(\d+)$/.exec(uri) ?? [];
    const whole = id === undefined ? undefined : this.#texts.get(id);
    if (id === undefined || whole === undefined) return undefined;
    return { uri, mimeType: 'text/plain', text: this.#page(id, whole, Number(from), maxChars) };
  }

  static owns(uri: string): boolean {
    return uri.startsWith(SCHEME);
  }

  #page(id: string, whole: string, from: number, maxChars: number): string {
    let end = Math.min(from + maxChars, whole.length);
    // Not in the middle of a surrogate pair: half a character would be sent as a broken one.
    if (end < whole.length && /[\uD800-\uDBFF]/.test(whole[end - 1] ?? '')) end -= 1;
    const page = whole.slice(from, end);
    if (end >= whole.length) return page;
    return (
      `${page}\n\n[Cut here: characters ${from + 1} to ${end} of ${whole.length}. ` +
      `Read on with the resource ${SCHEME}${id}?from=${end}]`
    );
  }
}

function textLength(block: McpContentBlock): number {
  return block.type === 'text' ? block.text.length : 0;
}
