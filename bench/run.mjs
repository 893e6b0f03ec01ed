// @ts-check
/** `npm run bench`: see HELP. */
import os from 'node:os';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { CASES } from './cases.mjs';
import { emulator } from './emulator/build.mjs';
import { measureAll } from './lib/measure.mjs';
import { writeReport } from './lib/report.mjs';
import { rows } from './lib/rows.mjs';
import {
  adapterCells,
  agentCells,
  aligned,
  clientCells,
  hostCells,
  realCliCells,
  recordingCells,
  runtimeCells,
  transportCells,
} from './lib/tables.mjs';

const HELP = `npm run bench -- [options]

Measures Tenon, the official SDK and a floor (the least that any client must do) in turns, each measurement in a
process of its own, against an emulator of the CLI; then the ways to call a tool, the embedded runtime, and a host of many
conversations beside LangGraph and Mastra.

  --only <text>    cases whose name contains the text; may be repeated
  --rounds <n>     how often each is measured; 5 by default
  --json           numbers as JSON on stdout in place of the tables
  --report         writes docs/performance.md and its picture
  --list           names the cases
  --help

npm run bench -- --only call --rounds 3
npm run bench -- --json > numbers.json`;

function readArguments() {
  try {
    return parseArgs({
      options: {
        only: { type: 'string', multiple: true },
        rounds: { type: 'string', default: '5' },
        json: { type: 'boolean', default: false },
        report: { type: 'boolean', default: false },
        list: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    return stop(error instanceof Error ? error.message : String(error));
  }
}

/**
 * @param {string} why
 * @returns {never}
 */
function stop(why) {
  console.error(`bench: ${why}\nSee npm run bench -- --help`);
  process.exit(1);
}

/** @param {number} done @param {number} all @param {string} what */
function progress(done, all, what) {
  const line = `${Math.round((done / all) * 100)} % ${what}`;
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[2K${line}${done === all ? '\n' : ''}`);
  else if (done % 10 === 0 || done === all) process.stderr.write(`${line}\n`);
}

/** Of the last minute. What others do on it is in every number. */
function load() {
  return os.loadavg()[0]?.toFixed(1);
}

const values = readArguments();
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
if (values.list) {
  console.log(CASES.map(({ name }) => name).join('\n'));
  process.exit(0);
}
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1)
  stop(`--rounds must be a whole number from 1 on; it is "${values.rounds}".`);
const cases = CASES.filter(({ name }) => values.only?.some((text) => name.includes(text)) ?? true);
if (cases.length === 0)
  stop(`no case is named like "${values.only?.join('", "')}". npm run bench -- --list names them.`);
if (values.report && cases.length < CASES.length) stop('--report needs all cases; leave out --only.');

if (cases.some(({ name }) => !name.startsWith('host-'))) emulator();
const loadBefore = load();
const measured = rows(cases, await measureAll(cases, rounds, progress));
if (values.json) console.log(JSON.stringify(measured, null, 2));
else {
  const tables = [
    clientCells,
    recordingCells,
    transportCells,
    realCliCells,
    agentCells,
    runtimeCells,
    hostCells,
    adapterCells,
  ];
  for (const cells of tables.map((cells) => cells(measured))) {
    if (cells.length > 1) console.log(`\n${aligned(cells)}`);
  }
  console.log(
    `\nLoad of the machine, ${os.cpus().length} processors: ${loadBefore} before, ${load()} after.`,
  );
}
if (values.report) console.error(`Written: ${writeReport(measured, rounds)}`);
