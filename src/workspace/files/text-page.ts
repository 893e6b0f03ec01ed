// Which lines of a file the model reads at once.

/** What a result may cost. */
export const MAX_READ_TOKENS = 25_000;
/** How much of that a first page takes: the count is a guess. */
const PAGE_SHARE = 0.85;

export interface TextPage {
  readonly lines: readonly string[];
  /** From 1. */
  readonly start: number;
  readonly total: number;
  readonly tokens: number;
}

/** `offset`: the first line, from 1. */
export function pageOf(text: string, offset: number | undefined, limit: number | undefined): TextPage {
  const all = text.split('\n');
  const start = Math.max(1, offset ?? 1);
  const count = limit !== undefined && limit > 0 ? limit : all.length;
  const lines = all.slice(start - 1, start - 1 + count);
  return { lines, start, total: all.length, tokens: tokensIn(lines.join('\n')) };
}

/** The beginning of a text that is too long, in whole lines if the first ones are not too long themselves. */
export function firstPage({ lines, total, tokens }: TextPage): TextPage {
  const share = (MAX_READ_TOKENS / tokens) * PAGE_SHARE;
  let count = Math.floor(lines.length * share);
  for (; count > 0; count = Math.floor(count / 2)) {
    const kept = lines.slice(0, count);
    const cost = tokensIn(kept.join('\n'));
    if (cost <= MAX_READ_TOKENS) return { lines: kept, start: 1, total, tokens: cost };
  }
  const [line = ''] = lines;
  const room = Math.min(line.length, Math.floor(lines.join('\n').length * share));
  // Half of a surrogate pair would be sent as a broken character.
  const head = line.slice(0, room).replace(/[\uD800-\uDBFF]$/, '');
  return { lines: [head], start: 1, total, tokens: tokensIn(head) };
}

export function numbered({ lines, start }: Pick<TextPage, 'lines' | 'start'>): string {
  return lines.map((line, index) => `${start + index}\t${line}`).join('\n');
}

/** A guess: about four characters of English are a token, and in many scripts each character is one. */
export function tokensIn(text: string): number {
  let others = 0;
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 0x7f) others += 1;
  return Math.ceil((text.length - others) / 4 + others);
}
