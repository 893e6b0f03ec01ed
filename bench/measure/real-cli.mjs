// @ts-check
/** The real CLI, offline: how long the first message takes, with and without a pool, and what a session weighs. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { scriptedMessagesApi, text } from 'tenon/testing';
import { median } from './conversation.mjs';

const ROUNDS = 5;

export function cli() {
  const reference = createRequire(new URL('../../test/reference/package.json', import.meta.url));
  const platform = `@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}`;
  return join(dirname(reference.resolve(`${platform}/package.json`)), 'claude');
}

/** @param {number} pid */
function residentMegabytes(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

/** @param {'official' | 'tenon' | 'pool'} subject */
export async function realCli(subject) {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-bench-'));
  const api = await scriptedMessagesApi(() => text('Hello.'));
  const env = { PATH: process.env.PATH ?? '', HOME: folder, CLAUDE_CONFIG_DIR: folder, ...api.env() };
  const options = { pathToClaudeCodeExecutable: cli(), cwd: folder, env };
  const client = await import(subject === 'official' ? '../clients/official.mjs' : 'tenon');
  const pool = subject === 'pool' ? client.warmPool(1, { options }) : undefined;
  const [first, memory] = [/** @type {number[]} */ ([]), /** @type {number[]} */ ([])];
  for (let round = 0; round < ROUNDS; round += 1) {
    await pool?.filled();
    const started = performance.now();
    const conversation = pool === undefined ? client.query({ prompt: 'hi', options }) : pool.query('hi');
    let isFirst = true;
    for await (const message of conversation) {
      if (isFirst) first.push(performance.now() - started);
      isFirst = false;
      if (message.type === 'result' && conversation.pid !== undefined)
        memory.push(residentMegabytes(conversation.pid));
    }
  }
  await pool?.close();
  await api[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  return { first: median(first), ...(memory.length === 0 ? {} : { memory: median(memory) }) };
}
