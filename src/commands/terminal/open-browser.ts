import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const OPENERS: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', win32: 'explorer.exe' };

/** Opens the page by a private file that leads there: everybody on a machine can read the command lines of programs. */
export async function openInBrowser(url: string, warn: (text: string) => void): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-open-'));
  const page = join(folder, 'open.html');
  const html = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${url}"><title>Tenon</title>\n`;
  await writeFile(page, html, { mode: 0o600 });
  const opener = OPENERS[process.platform] ?? 'xdg-open';
  const child = spawn(opener, [pathToFileURL(page).href], { stdio: 'ignore', detached: true });
  child.on('error', ({ message }) =>
    warn(`The browser could not be opened (${message}). Open the address above.`),
  );
  child.unref();
  return () => rm(folder, { recursive: true, force: true });
}
