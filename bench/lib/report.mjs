// @ts-check
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { plot } from './plot.mjs';
import {
  adapterCells,
  agentCells,
  clientCells,
  hostCells,
  markdown,
  realCliCells,
  recordingCells,
  runtimeCells,
  summaryCells,
  transportCells,
} from './tables.mjs';

const root = resolve(join(import.meta.dirname, '..', '..'));
const BEGIN = '<!-- measured: begin -->';
const END = '<!-- measured: end -->';

/**
 * Writes the tables into `docs/performance.md`, between its two marks, and the picture beside it; a few of the figures into
 * `README.md`.
 *
 * @param {readonly import('./rows.mjs').Row[]} rows
 * @param {number} rounds
 */
export function writeReport(rows, rounds) {
  const page = join(root, 'docs', 'performance.md');
  fill(page, measured(rows, rounds));
  fill(join(root, 'README.md'), markdown(summaryCells(rows)));
  writeFileSync(join(root, 'docs', 'performance.svg'), plot(rows));
  return page;
}

/** @param {string} page @param {string} content */
function fill(page, content) {
  const text = readFileSync(page, 'utf8');
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin === -1 || end === -1) throw new Error(`${page} has lost the marks "${BEGIN}" and "${END}".`);
  writeFileSync(page, `${text.slice(0, begin)}${BEGIN}\n\n${content}\n\n${text.slice(end)}`);
}

/**
 * @param {readonly import('./rows.mjs').Row[]} rows
 * @param {number} rounds
 */
function measured(rows, rounds) {
  const [processor] = os.cpus();
  return [
    `Measured on ${new Date().toISOString().slice(0, 10)} with \`npm run bench -- --rounds ${rounds} --report\`: ` +
      `${os.cpus().length} × ${processor?.model.trim()}, ${Math.round(os.totalmem() / 2 ** 30)} GB, ${os.type()} ${os.release().split('-')[0]}, ` +
      `Node ${process.versions.node}, Tenon ${commit()}, official SDK ${officialVersion()}. Medians of ${rounds} rounds, smallest and largest in brackets.`,
    '![Cost in multiples of the floor](performance.svg)',
    '### The client',
    markdown(clientCells(rows)),
    '### With a recording',
    markdown(recordingCells(rows)),
    '### One tool call by every way',
    markdown(transportCells(rows)),
    '### The real CLI',
    markdown(realCliCells(rows)),
    '### An agent as a process',
    markdown(agentCells(rows)),
    '### The embedded runtime',
    markdown(runtimeCells(rows)),
    '### A host of many conversations',
    markdown(hostCells(rows)),
    '### The adapters of models',
    markdown(adapterCells(rows)),
  ].join('\n\n');
}

function commit() {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
  } catch {
    return 'without a commit';
  }
}

function officialVersion() {
  const manifest = join(root, 'test/reference/node_modules/@anthropic-ai/claude-agent-sdk/package.json');
  return JSON.parse(readFileSync(manifest, 'utf8')).version;
}
