/* What is shown stands in the fragment of the address, so that it can be sent to somebody and be gone back to. */
import { effect } from '@preact/signals-core';
import { takeToken } from './server.js';
import {
  isDetailOpen,
  otherRun,
  requestIndex,
  runNumber,
  type Selected,
  selected,
  VIEWS,
  type ViewName,
  view,
} from './store.js';

export function followAddress(): void {
  readAddress();
  addEventListener('hashchange', readAddress);
  effect(writeAddress);
}

function readAddress(): void {
  const parts = new URLSearchParams(takeToken(location.hash));
  const wanted = parts.get('view');
  if (isView(wanted)) view.value = wanted;
  runNumber.value = numberOf(parts.get('run'));
  otherRun.value = numberOf(parts.get('other'));
  requestIndex.value = numberOf(parts.get('request'));
  selected.value = selectedOf(parts);
  if (selected.value !== undefined) isDetailOpen.value = true;
}

function selectedOf(parts: URLSearchParams): Selected | undefined {
  const [tool, span, frame] = [parts.get('tool'), parts.get('span'), numberOf(parts.get('frame'))];
  if (tool !== null) return { kind: 'tool', name: tool };
  if (span !== null) return { kind: 'span', id: span };
  const line = numberOf(parts.get('line'));
  if (line !== undefined) return { kind: 'line', index: line };
  return frame === undefined ? undefined : { kind: 'frame', n: frame };
}

function writeAddress(): void {
  const parts = new URLSearchParams();
  const set = (name: string, value: string | number | undefined): void => {
    if (value !== undefined) parts.set(name, String(value));
  };
  set('run', runNumber.value);
  set('view', view.value);
  const what = selected.value;
  if (what?.kind === 'tool') set('tool', what.name);
  if (what?.kind === 'span') set('span', what.id);
  if (what?.kind === 'frame') set('frame', what.n);
  if (what?.kind === 'line') set('line', what.index);
  if (view.value === 'diff') set('other', otherRun.value);
  if (view.value === 'context') set('request', requestIndex.value);
  const fragment = `#${parts.toString()}`;
  // Replaced, not added: going back leaves the page instead of walking through every row that was looked at.
  if (location.hash !== fragment) history.replaceState(null, '', fragment);
}

function isView(name: string | null): name is ViewName {
  return (VIEWS as readonly (string | null)[]).includes(name);
}

function numberOf(text: string | null): number | undefined {
  return text === null || !/^\d+$/.test(text) ? undefined : Number(text);
}
