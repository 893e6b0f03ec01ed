import { createHash } from 'node:crypto';
import { isRecord } from '../protocol/base/kinds.js';
import { LIMITS } from '../protocol/base/limits.js';
import { MARK } from './block-reader.js';
import type { TapeBlock } from './tape-format.js';

/** Shorter values are not worth a reference, and shorter lines not worth a look. */
const SHORTEST = 512;
export const SHORTEST_LINE = 2048;
const HASH_CHARS = 24;

/** Takes long values out of lines, so that each is written once: a model is sent the same history again and again. */
export class BlockWriter {
  readonly #known = new Set<string>();

  /** The line with references in it, after the blocks that it is the first to need. */
  line(json: string): { blocks: TapeBlock[]; json: string } {
    if (json.length < SHORTEST_LINE && !json.includes(MARK)) return { blocks: [], json };
    const blocks: TapeBlock[] = [];
    return { blocks, json: JSON.stringify(this.#shortened(JSON.parse(json), blocks)) };
  }

  /** They are not written after all. */
  forget(blocks: readonly TapeBlock[]): void {
    for (const { id } of blocks) this.#known.delete(id);
  }

  /** Long texts, and what stands in a list: messages, tools, blocks of content. */
  #shortened(value: unknown, blocks: TapeBlock[]): unknown {
    if (typeof value === 'string') return value.length < SHORTEST ? value : this.#reference(value, blocks);
    if (Array.isArray(value)) return value.map((item) => this.#item(item, blocks));
    if (!isRecord(value)) return value;
    const short = Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, this.#shortened(item, blocks)]),
    );
    return MARK in value ? { [MARK]: null, value: short } : short;
  }

  #item(item: unknown, blocks: TapeBlock[]): unknown {
    const short = this.#shortened(item, blocks);
    if (!isRecord(short)) return short;
    return JSON.stringify(short).length < SHORTEST ? short : this.#reference(short, blocks);
  }

  #reference(value: unknown, blocks: TapeBlock[]): unknown {
    const id = createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, HASH_CHARS);
    if (!this.#known.has(id)) {
      this.#known.add(id);
      // Who is forgotten is written again, which the reader does not mind.
      for (const oldest of this.#known) {
        if (this.#known.size <= LIMITS.rememberedBlocks) break;
        this.#known.delete(oldest);
      }
      blocks.push({ kind: 'block', id, value });
    }
    return { [MARK]: id };
  }
}
