import { createHash } from 'node:crypto';
import { isRecord } from '../protocol/base/kinds.js';
import { LIMITS } from '../protocol/base/limits.js';
import { MARK } from './block-reader.js';

/** Shorter values are not worth a reference, and shorter lines not worth a look. */
const SHORTEST = 512;
export const SHORTEST_LINE = 2048;
const HASH_CHARS = 24;
const MAX_DEPTH = 200;

/** A `TapeBlock` as it is written. */
export interface WrittenBlock {
  readonly id: string;
  readonly line: string;
}

/** Takes long values out of lines, so that each is written once: a model is sent the same history again and again. */
export class BlockWriter {
  readonly #known = new Set<string>();

  /** The line with references in it, after the blocks that it is the first to need. */
  line(json: string): { blocks: WrittenBlock[]; json: string } {
    if (json.length < SHORTEST_LINE && !json.includes(MARK)) return { blocks: [], json };
    const blocks: WrittenBlock[] = [];
    const value: unknown = JSON.parse(json);
    try {
      return { blocks, json: this.#text(value, blocks) };
    } catch {
      // Deeper than the stack, which no agent's frame is, but somebody's tool may answer anything.
      this.forget(blocks);
      const shown: WrittenBlock[] = [];
      return { blocks: shown, json: this.#text(shallow(value), shown) };
    }
  }

  /** They are not written after all. */
  forget(blocks: readonly WrittenBlock[]): void {
    for (const { id } of blocks) this.#known.delete(id);
  }

  /** A value as JSON with references to long texts, and to what stands in a list: messages, tools, blocks of content. */
  #text(value: unknown, blocks: WrittenBlock[]): string {
    if (Array.isArray(value)) return `[${value.map((item) => this.#item(item, blocks)).join(',')}]`;
    const whole = JSON.stringify(value);
    if (typeof value === 'string') return value.length < SHORTEST ? whole : this.#reference(whole, blocks);
    // Nothing in it can be long: no need to look.
    if (!isRecord(value) || (whole.length < SHORTEST && !whole.includes(MARK))) return whole;
    const fields = Object.entries(value).map(
      ([name, item]) => `${JSON.stringify(name)}:${this.#text(item, blocks)}`,
    );
    const text = `{${fields.join(',')}}`;
    return Object.hasOwn(value, MARK) ? `{"${MARK}":null,"value":${text}}` : text;
  }

  #item(item: unknown, blocks: WrittenBlock[]): string {
    const text = this.#text(item, blocks);
    return isRecord(item) && text.length >= SHORTEST ? this.#reference(text, blocks) : text;
  }

  #reference(json: string, blocks: WrittenBlock[]): string {
    const id = createHash('sha256').update(json).digest('hex').slice(0, HASH_CHARS);
    if (!this.#known.has(id)) {
      this.#known.add(id);
      // Who is forgotten is written again, which the reader does not mind.
      for (const oldest of this.#known) {
        if (this.#known.size <= LIMITS.rememberedBlocks) break;
        this.#known.delete(oldest);
      }
      blocks.push({ id, line: `{"kind":"block","id":"${id}","value":${json}}\n` });
    }
    return `{"${MARK}":"${id}"}`;
  }
}

function shallow(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return '<too deep>';
  if (Array.isArray(value)) return value.map((item) => shallow(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shallow(item, depth + 1)]));
}
