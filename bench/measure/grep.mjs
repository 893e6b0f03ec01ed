// @ts-check
/** A search through 20,000 files: `rg` itself, and the workspace that the tool Grep searches with. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { localWorkspace } from 'tenon/workspace';

const DIRECTORIES = 200;
const FILES_EACH = 100;
const ROUNDS = 30;
const LINE = 'const value = compute(index, other) + offset; // some words\n';

/** @param {'floor' | 'tenon'} subject */
export async function grep(subject) {
  const root = tree();
  const search = subject === 'floor' ? rg : own(root);
  try {
    return {
      files: await timed(() => search(root, 'files')),
      lines: await timed(() => search(root, 'lines')),
    };
  } finally {
    rmSync(root, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** One file in a hundred has a match. */
function tree() {
  const root = mkdtempSync(join(tmpdir(), 'tenon-bench-'));
  for (let directory = 0; directory < DIRECTORIES; directory += 1) {
    const path = join(root, `d${directory % 20}`, `e${directory}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < FILES_EACH; file += 1) {
      const words = LINE.repeat(20) + (file === 7 ? 'a needle\n' : '');
      writeFileSync(join(path, `f${file}.ts`), words);
    }
  }
  return root;
}

/** @param {() => Promise<number>} search */
async function timed(search) {
  const times = [];
  // The first one fills the caches of the system.
  for (let round = 0; round <= ROUNDS; round += 1) {
    const started = performance.now();
    const found = await search();
    if (found !== DIRECTORIES) throw new Error(`${found} files were found, not ${DIRECTORIES}`);
    if (round > 0) times.push(performance.now() - started);
  }
  // The quickest: whatever else the machine does only makes a search slower.
  return Math.min(...times);
}

/** @param {string} root @param {'files' | 'lines'} mode @returns {Promise<number>} */
function rg(root, mode) {
  const shape = mode === 'files' ? '--files-with-matches' : '--line-number';
  const child = spawn(rgPath, ['--no-config', '--hidden', shape, '--regexp=needle', '.'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve(output.split('\n').length - 1));
  });
}

/** @param {string} root @returns {typeof rg} */
function own(root) {
  const workspace = localWorkspace(root);
  const { signal } = new AbortController();
  return async (path, mode) => {
    const answer = await workspace.search?.({ path, mode, pattern: 'needle' }, signal);
    return answer?.files.length ?? 0;
  };
}
