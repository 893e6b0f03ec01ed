// @ts-check
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const source = join(import.meta.dirname, 'emulator.c');

/** The path of the compiled emulator; compiles it when it is missing or another source was compiled. */
export function emulator() {
  const hash = createHash('sha256').update(readFileSync(source)).digest('hex').slice(0, 12);
  const folder = join(import.meta.dirname, '..', '..', '.cache', 'bench');
  const program = join(folder, `emulator-${hash}`);
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  try {
    execFileSync('cc', ['-O2', '-o', program, source], { stdio: ['ignore', 'inherit', 'inherit'] });
  } catch (error) {
    throw new Error(
      'The benchmark needs a C compiler named `cc` for its emulator of the CLI (Debian: apt install gcc; macOS: ' +
        'xcode-select --install).',
      { cause: error },
    );
  }
  return program;
}
