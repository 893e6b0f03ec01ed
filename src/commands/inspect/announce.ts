import { openInBrowser } from '../terminal/open-browser.js';
import { palette } from '../terminal/palette.js';
import { print, printJson } from '../terminal/print.js';
import type { InspectValues } from './command.js';

/** Says where the page is, on stderr: stdout is the program's. Returns a function that removes what it left. */
export async function announce(url: string, values: InspectValues): Promise<() => Promise<void>> {
  const paint = palette(process.stderr);
  if (values.json === true) printJson({ type: 'inspecting', url }, { output: process.stderr });
  else print(`${paint.green('●')} ${paint.bold('inspecting')} at ${paint.cyan(url)}\n`, process.stderr);
  if (values.open !== true) return async () => {};
  return openInBrowser(url, (text) => print(`${text}\n`, process.stderr));
}
