import type { CallToolResult, McpContentBlock } from '../../index.js';
import { clock } from '../../protocol/base/clock.js';
import { timeText } from '../run/tool-text.js';
import { hanging, oneLine } from '../terminal/harmless.js';
import type { Screen } from '../terminal/screen.js';

/** What a call reports of itself while it runs: a line each in a pipe, the status line on a terminal. */
export class Progress {
  /** The last report, in words. */
  last: string | undefined;
  readonly #screen: Screen;

  constructor(name: string, screen: Screen) {
    this.#screen = screen;
    const since = clock.monotonic();
    screen.setStatus(() => [timeText(clock.monotonic() - since), name, this.last ?? ''].join(' ').trimEnd());
  }

  readonly report = (report: Record<string, unknown>): void => {
    const { progress, total, message } = report;
    const count = total === undefined ? `${progress}` : `${progress} of ${total}`;
    this.last = oneLine(typeof message === 'string' ? `${count} ${message}` : count);
    if (!this.#screen.isTerminal) this.#screen.note(this.last);
  };

  end(): void {
    this.#screen.setStatus(undefined);
  }
}

/** `warning shop: the cache is cold`. */
export function logLine(entry: Record<string, unknown>, { paint }: Screen): string {
  const { level, logger, data } = entry;
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return paint.dim(hanging(`${level} ${logger === undefined ? '' : `${logger}: `}${text}`));
}

/** The texts go to stdout; what is no text is named, and nothing is called so. */
export function showResult(name: string, result: CallToolResult, screen: Screen): void {
  const { paint } = screen;
  const texts = textsOf(result);
  if (result.isError === true) {
    const reason = texts.join('\n');
    screen.note(
      `${paint.red(`✗ ${oneLine(name)}`)}: ${hanging(reason === '' ? 'it failed, and does not say why.' : reason)}`,
    );
    return;
  }
  for (const text of texts) {
    screen.answer(text);
    screen.endAnswer();
  }
  if (texts.join('') === '') screen.note(paint.dim(`${oneLine(name)} answered with an empty result.`));
}

function textsOf({ content, structuredContent }: CallToolResult): string[] {
  const blocks = (Array.isArray(content) ? content : []).map(blockText);
  if (blocks.length > 0 || structuredContent === undefined) return blocks;
  return [JSON.stringify(structuredContent, null, 2)];
}

function blockText(block: McpContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type} ${block.mimeType}, ${bytesText(block.data)}]`;
    case 'resource_link':
      return `[resource ${block.name}: ${block.uri}]`;
    case 'resource':
      return 'text' in block.resource
        ? block.resource.text
        : `[resource ${block.resource.uri}, ${bytesText(block.resource.blob)}]`;
    default:
      return `[${(block as { type?: unknown }).type}]`;
  }
}

/** Of Base64. */
function bytesText(data: string): string {
  const bytes = Math.floor((data.length * 3) / 4);
  return bytes < 1000 ? `${bytes} bytes` : `${(bytes / 1000).toFixed(1)} kB`;
}
