// @ts-check
/** The same session with 20 file operations on the real CLI and on `tenon-runtime`: what each costs as a process. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { query } from 'tenon';
import { scriptedMessagesApi, text, toolUse } from 'tenon/testing';
import { median } from './conversation.mjs';
import { cli } from './real-cli.mjs';

const ROUNDS = 3;
const OPERATIONS = 20;
/** Ticks of the CPU clock in /proc, on every Linux that Node runs on. */
const TICK_MS = 10;

/** @param {'claude' | 'tenon-runtime'} subject */
export async function fileWork(subject) {
  const executable =
    subject === 'claude' ? cli() : fileURLToPath(new URL('../../dist/runtime/bin.js', import.meta.url));
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await session(executable));
  const of = (/** @type {'start' | 'memory' | 'cpu' | 'took'} */ key) =>
    median(rounds.map((each) => each[key]));
  return { start: of('start'), memory: of('memory'), cpu: of('cpu'), took: of('took') };
}

/** @param {string} executable */
async function session(executable) {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-bench-'));
  for (let index = 0; index < 5; index += 1)
    writeFileSync(join(folder, `old${index}.txt`), 'one\ntwo\nthree\n');
  let step = 0;
  const api = await scriptedMessagesApi(() =>
    step < OPERATIONS ? operation(folder, step++) : text('Done.'),
  );
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    CLAUDE_CONFIG_DIR: join(folder, '.config'),
    ...api.env(),
  };
  const tools = ['Read', 'Write', 'Edit'];
  const options = { pathToClaudeCodeExecutable: executable, cwd: folder, env, tools, allowedTools: tools };
  const started = performance.now();
  const conversation = query({ prompt: 'go', options });
  let start = 0;
  let spent = { memory: Number.NaN, cpu: Number.NaN };
  let failures = 0;
  for await (const message of conversation) {
    if (start === 0) start = performance.now() - started;
    if (message.type === 'user') failures += countFailures(message.message.content);
    if (message.type === 'result' && conversation.pid !== undefined) spent = costOf(conversation.pid);
  }
  const took = performance.now() - started;
  await api[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  if (failures > 0) throw new Error(`${failures} of ${OPERATIONS} file operations failed`);
  return { start, took, ...spent };
}

/** Five files written, five read, five edited, five read again. @param {string} folder @param {number} step */
function operation(folder, step) {
  const [index, kind] = [step % 5, Math.floor(step / 5)];
  const old = join(folder, `old${index}.txt`);
  if (kind === 0) return toolUse('Write', { file_path: join(folder, `new${index}.txt`), content: 'a\nb\n' });
  if (kind === 2) return toolUse('Edit', { file_path: old, old_string: 'two', new_string: 'second' });
  return toolUse('Read', { file_path: old });
}

/** @param {unknown} content */
function countFailures(content) {
  return Array.isArray(content) ? content.filter(({ is_error }) => is_error === true).length : 0;
}

/** The most memory that it ever held, and the CPU time of all its threads. @param {number} pid */
function costOf(pid) {
  const memory = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return { memory, cpu: (Number(fields[11]) + Number(fields[12])) * TICK_MS };
}
