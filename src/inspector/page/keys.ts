import { isTyping } from './parts/dom.js';
import { answerByKey } from './parts/question-bar.js';
import type { VirtualList } from './parts/virtual-list.js';
import { filter, isDetailOpen, isPlaying, overlay, show, VIEWS, view } from './state/store.js';
import { spanRows } from './timeline/span-list.js';
import { pan, showAll, zoom } from './timeline/zoom.js';
import { requestList } from './views/context.js';
import { scrollMessages } from './views/messages.js';
import { toolList } from './views/tools.js';
import { toPair, wireList } from './views/wire.js';

/** The list that j and k move in. */
function currentList(): VirtualList | undefined {
  if (isPlaying.value) return undefined;
  const lists = { timeline: spanRows, wire: wireList, tools: toolList, context: requestList } as const;
  return lists[view.value as keyof typeof lists];
}

/** When `g` was pressed. */
let goPressedAt = Number.NEGATIVE_INFINITY;
const CHORD_MS = 1_200;

export function listenToKeys(): void {
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (overlay.value !== undefined) return;
    const { target } = event;
    const isHandled = isTyping(target) ? whileTyping(event) : onPage(event);
    if (isHandled) event.preventDefault();
  });
}

function whileTyping({ key, target }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (key === 'Escape') {
    if (target.id === 'filter') filter.value = '';
    target.blur();
    return true;
  }
  // From the filter into what it found.
  if (target.id !== 'filter' || (key !== 'Enter' && key !== 'ArrowDown')) return false;
  target.blur();
  // When what it found has been drawn.
  requestAnimationFrame(() => currentList()?.to(0));
  return true;
}

function onPage(event: KeyboardEvent): boolean {
  const { key, timeStamp } = event;
  if (key === 't' && timeStamp - goPressedAt < CHORD_MS) return done(toPair);
  goPressedAt = key === 'g' ? timeStamp : Number.NEGATIVE_INFINITY;
  if (answerByKey(key)) return true;
  const index = VIEWS.findIndex((_, at) => key === String(at + 1));
  const name = VIEWS[index];
  if (name !== undefined) return done(() => show(name));
  if (key === '/') return focusFilter();
  if (key === '?') return done(() => (overlay.value = 'help'));
  if (key === 'Escape') return done(() => (isDetailOpen.value = false));
  if (view.value === 'timeline' && zoomKey(key)) return true;
  return moves(event);
}

function done(act: () => unknown): true {
  act();
  return true;
}

function focusFilter(): boolean {
  const field = document.getElementById('filter');
  if (!(field instanceof HTMLInputElement)) return false;
  field.focus();
  field.select();
  return true;
}

function zoomKey(key: string): boolean {
  if (key === '+' || key === '=') return done(() => zoom(0.5));
  if (key === '-') return done(() => zoom(2));
  if (key === '0') return done(showAll);
  if (key === 'ArrowLeft') return done(() => pan(-0.2));
  return key === 'ArrowRight' && done(() => pan(0.2));
}

/** Keys with a meaning of their own where the focus is. */
function isElsewhere(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (key === 'Enter') return target.closest('button, a, summary') !== null;
  if (key === 'j' || key === 'k') return false;
  return target.closest('.detail, .play, .context, [role=tablist]') !== null;
}

function moves({ key, target }: KeyboardEvent): boolean {
  if (isElsewhere(target, key)) return false;
  const list = currentList();
  if (list === undefined) {
    if (view.value !== 'messages' || (key !== 'Home' && key !== 'End')) return false;
    return done(() => scrollMessages(key === 'End' ? 'end' : 'start'));
  }
  const by: Readonly<Record<string, () => void>> = {
    j: () => list.move(1),
    ArrowDown: () => list.move(1),
    k: () => list.move(-1),
    ArrowUp: () => list.move(-1),
    PageDown: () => list.move(list.pageRows),
    PageUp: () => list.move(-list.pageRows),
    Home: () => list.to(0),
    End: () => list.toEnd(),
    Enter: () => list.openSelected(),
  };
  const act = by[key];
  return act !== undefined && done(act);
}
