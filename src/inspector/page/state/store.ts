/* What the page shows, as signals: whoever reads one while drawing is drawn again when it changes. */
import { signal } from '@preact/signals-core';
import type { Run } from '../../../observe/run/run.js';
import { type RunEntry, World } from './world.js';

export const VIEWS = ['timeline', 'messages', 'context', 'tools', 'wire', 'cost', 'diff'] as const;
export type ViewName = (typeof VIEWS)[number];

/** What the detail pane is about. */
export type Selected =
  | { readonly kind: 'span'; readonly id: string }
  | { readonly kind: 'frame'; readonly n: number }
  /** A line that is no frame, by its place among the lines. */
  | { readonly kind: 'line'; readonly index: number }
  | { readonly kind: 'tool'; readonly name: string };

export type Connection =
  | { readonly state: 'connecting' | 'open' | 'file' | 'refused' }
  /** `retryAt`: on the page's own clock. */
  | { readonly state: 'lost'; readonly retryAt: number };

export const world = signal(new World());
/** Counts up when the world has changed inside. */
export const version = signal(0);
export const connection = signal<Connection>({ state: 'connecting' });

export const view = signal<ViewName>('timeline');
/** Undefined: the newest. */
export const runNumber = signal<number | undefined>(undefined);
/** The other one of the Diff view. */
export const otherRun = signal<number | undefined>(undefined);
/** The request of the Context view; undefined: the newest. */
export const requestIndex = signal<number | undefined>(undefined);
/** The `tool_use` id of the subagent that is looked at; undefined: all of the run. */
export const subagent = signal<string | undefined>(undefined);
export const selected = signal<Selected | undefined>(undefined);
export const isDetailOpen = signal(false);
export const filter = signal('');
/** What lies over the page. */
export const overlay = signal<'help' | 'export' | undefined>(undefined);
/** One line at the bottom that goes away by itself. */
export const notice = signal<string | undefined>(undefined);
/** Where the window is narrow, the playground is a tab of its own. */
export const isPlaying = signal(false);

export function touch(): void {
  version.value += 1;
}

/** The run that is shown. */
export function currentEntry(): RunEntry | undefined {
  void version.value;
  const { runs } = world.value;
  const wanted = runNumber.value;
  if (wanted !== undefined && runs.has(wanted)) return runs.get(wanted);
  return [...runs.values()].findLast((entry) => entry.run !== undefined) ?? [...runs.values()].at(-1);
}

export function currentRun(): Run | undefined {
  return currentEntry()?.run;
}

/** Whether something may still come. */
export function isLive(): boolean {
  void version.value;
  const { hello, program } = world.value;
  if (connection.value.state !== 'open' || hello === undefined || hello.source === 'tape') return false;
  return program?.state !== 'ended';
}

export function show(name: ViewName): void {
  view.value = name;
  isPlaying.value = false;
  // In a narrow window not all of the tabs are in sight.
  document.getElementById(`tab-${name}`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

export function open(what: Selected): void {
  selected.value = what;
  isDetailOpen.value = true;
}

let noticeTimer: ReturnType<typeof setTimeout> | undefined;

export function say(text: string): void {
  notice.value = text;
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => {
    notice.value = undefined;
  }, 4000);
}
