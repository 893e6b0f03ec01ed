import { execFile } from 'node:child_process';

/** It only parses. */
const CHECK_MS = 10_000;

/**
 * Where a file cannot be parsed, with the line. Node tells that only when a program ends by it, so each file is checked
 * in a process of its own. Undefined for any other error, and where Node cannot say more.
 */
export async function syntaxErrorIn(error: unknown, files: Iterable<string>): Promise<string | undefined> {
  // Names that a module does not have are errors of the same kind, and come with their place.
  if (!(error instanceof SyntaxError) || /^file:.*:\d+$/m.test(error.stack ?? '')) return undefined;
  for (const file of files) {
    if (!/\.[mc]?js$/.test(file)) continue;
    const found = await check(file);
    if (found !== undefined) return found;
  }
  return undefined;
}

function check(file: string): Promise<string | undefined> {
  const { NODE_OPTIONS: _, ...env } = process.env;
  return new Promise((resolve) => {
    execFile(process.execPath, ['--check', file], { env, timeout: CHECK_MS }, (failure, __, stderr) => {
      const [place] = stderr.split(/\n +at /);
      resolve(
        failure === null || place === undefined || !place.includes('SyntaxError') ? undefined : place.trim(),
      );
    });
  });
}
