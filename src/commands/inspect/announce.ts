import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { palette } from '../terminal/palette.js';
import { print, printJson } from '../terminal/print.js';
import type { InspectValues } from './command.js';

/** Says where the page is, on stderr: stdout is the program's. Returns a function that removes what it left. */
export async function announce(url: string, values: InspectValues): Promise<() => Promise<void>> {
  const paint = palette(process.stderr);
  if (values.json === true) printJson({ type: 'inspecting', url }, { output: process.stderr });
  else print(`${paint.green('●')} ${paint.bold('inspecting')} at ${paint.cyan(url)}\n`, process.stderr);
  if (values.open !== true) return async () => {};
  const folder = await mkdtemp(join(tmpdir(), 'tenon-open-'));
  const page = join(folder, 'open.html');
  await writeFile(page, redirection(url), { mode: 0o600 });
  openFile(pathToFileURL(page).href);
  return () => rm(folder, { recursive: true, force: true });
}

/** The command lines of programs can be read by everybody on this machine, and the address has the key in it. */
function redirection(url: string): string {
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${url}"><title>Tenon</title>\n`;
}

function openFile(url: string): void {
  const [command, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(command ?? 'xdg-open', [...args, url], { stdio: 'ignore', detached: true });
  child.on('error', (error) => {
    print(`The browser could not be opened (${error.message}). Open the address above.\n`, process.stderr);
  });
  child.unref();
}

const OPENERS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['explorer.exe'],
};
