/** A real Chromium, if there is one on this machine; otherwise `describeInChromium` skips, and the report says so. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { describe } from 'vitest';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

const executablePath: string | undefined = NAMES.flatMap((name) =>
  (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name)),
).find((path) => existsSync(path));

export const describeInChromium: (name: string, tests: () => void) => void =
  executablePath === undefined
    ? (name, tests) => describe.skip(`${name} (not installed here: Debian package chromium)`, tests)
    : describe;

/** With an empty profile of its own, and without anything that it would ask of the network by itself. */
export function launchChromium(): Promise<Browser> {
  if (executablePath === undefined) throw new Error('There is no Chromium on this machine.');
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
