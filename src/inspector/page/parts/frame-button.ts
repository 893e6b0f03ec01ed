import { html, nothing } from 'lit-html';
import { currentRun, open, show } from '../state/store.js';
import { selectedLine, wireList } from '../views/wire.js';
import type { Content } from './pieces.js';

/** Shows a frame in the Wire view. */
export function frameButton(n: number | undefined, text: string): Content {
  if (n === undefined) return nothing;
  const go = (): void => {
    show('wire');
    open({ kind: 'frame', n });
    const run = currentRun();
    // When the list has been drawn.
    if (run !== undefined) requestAnimationFrame(() => wireList.reveal(selectedLine(run)));
  };
  return html`<button @click=${go}>${text} <span class="muted">${n}</span></button>`;
}
