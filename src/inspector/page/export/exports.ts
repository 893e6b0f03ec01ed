import { otlpOf } from '../../../observe/run/otlp.js';
import { request, savedFeed } from '../state/server.js';
import { currentEntry, currentRun, world } from '../state/store.js';
import type { World } from '../state/world.js';
import { savedPage } from './saved-page.js';

/** The run as the server has it. */
export async function exportTape(): Promise<void> {
  const entry = currentEntry();
  if (entry === undefined) throw new Error('There is no run yet.');
  const response = await request(`/api/tape?run=${entry.number}`);
  save(await response.blob(), `${baseName()}-${entry.number}.tape`);
}

export async function exportOtlp(): Promise<void> {
  const run = currentRun();
  if (run === undefined) throw new Error('There is no run yet.');
  const text = `${JSON.stringify(otlpOf(run), null, 2)}\n`;
  save(new Blob([text], { type: 'application/json' }), `${baseName()}.otlp.json`);
}

/** A file that needs neither a server nor a network. */
export async function exportHtml(): Promise<void> {
  const [script, style] = await Promise.all([ownText('script'), ownText('style')]);
  const text = await savedPage({ script, style, feed: feedText(world.value), title: baseName() });
  save(new Blob([text], { type: 'text/html' }), `${baseName()}.html`);
}

/** A saved page has its parts inside. */
async function ownText(part: 'script' | 'style'): Promise<string> {
  if (savedFeed !== null)
    return document.querySelector(part === 'style' ? 'style' : 'script:not([type])')?.textContent ?? '';
  const response = await fetch(part === 'script' ? '/page.js' : '/page.css');
  if (!response.ok) throw new Error('The inspector does not answer: the page cannot be saved any more.');
  return response.text();
}

/** What has come, as a feed that comes again. */
function feedText({ hello, runs, program }: World): string {
  const lines: string[] = [];
  const add = (line: object): void => void lines.push(JSON.stringify(line));
  // Whoever opens the file can neither answer nor call.
  if (hello !== undefined) add({ ...hello, control: false });
  for (const { number, name, run, broken } of runs.values()) {
    add({ feed: 'run', run: number, name });
    if (run !== undefined) add({ run: number, line: run.head });
    for (const line of run?.lines ?? []) add({ run: number, line });
    if (broken !== undefined) add({ feed: 'broken', run: number, message: broken });
  }
  if (program !== undefined) add(program);
  add({ feed: 'caught-up' });
  return lines.join('\n');
}

function baseName(): string {
  const title = world.value.hello?.title ?? 'run';
  return title.replaceAll(/[^\w.-]+/g, '-').replace(/\.(tape|[cm]?[jt]s)$/, '') || 'run';
}

function save(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has taken hold of it by then.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
