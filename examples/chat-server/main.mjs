// A chat page for several people, each with several conversations, over one host.

import { join, relative } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createHost, memoryStorage } from 'tenon/host';
import { postgresStorage } from 'tenon/host/postgres';
import { terminal } from '../shared/terminal.mjs';
import { Accounts } from './accounts.mjs';
import { openAgents } from './agent.mjs';
import { Orders } from './orders.mjs';
import { serve } from './server.mjs';

const HELP = `chat-server: a chat page for several people: streams, approvals, reload and resume

npm start                         on the embedded runtime, with a scripted model: no key, no network
npm start -- --live               with a real model
npm start -- --cli                on the Claude Code CLI, if it is installed
npm start -- --port <number>      where the page is; default: 8787, 0: any free one
npm start -- --data <folder>      where everything is kept (PGlite); default: data next to the example
npm start -- --database <url>     conversations in a PostgreSQL server: postgres://user@host/name
npm start -- --memory             nothing is kept
npm start -- --pace <number>      milliseconds for a word of the scripted model; default: 45

A real model needs ANTHROPIC_API_KEY or ANTHROPIC_BASE_URL; with --cli, the login of the CLI is enough.`;

/** Ctrl+C waits so long for answers that are being written; what is left goes on with the next start. */
const DRAIN_MS = 10_000;

const flags = readArguments();
if (flags.help) console.log(HELP);
else await start().catch((error) => complain(explain(error)));

async function start() {
  const { cli, live, memory, database } = flags;
  const port = wholeNumber('port', 65_535);
  const paceMs = wholeNumber('pace', 10_000);
  if (memory && database !== undefined) throw new Error('Use either --memory or --database, not both.');
  if (live && !cli && !process.env.ANTHROPIC_API_KEY && !process.env.ANTHROPIC_BASE_URL)
    throw new Error(
      'A real model needs ANTHROPIC_API_KEY or ANTHROPIC_BASE_URL. Without --live, the model is scripted.',
    );

  const storage = openStorage();
  // What is wrong with it is said now, and not by the first prompt.
  await storage.open?.();
  const orders = new Orders(memory ? undefined : join(flags.data, 'orders.jsonl'));
  const agents = await openAgents({ cli, live, paceMs, orders });
  const host = createHost({ options: agents.options, storage, name: `chat-server ${process.pid}` });
  const accounts = memory ? new Accounts() : Accounts.in(flags.data);
  const server = await serve({ host, accounts, port, about: live ? 'live' : 'scripted' }).catch(
    async (error) => {
      await host.close();
      await agents.close();
      throw error;
    },
  );

  const { print } = terminal();
  print(
    'agent',
    `${cli ? 'the Claude Code CLI' : 'the embedded runtime'}, ${live ? 'a real model' : 'a scripted model'}`,
  );
  print('kept in', whereKept());
  print('page', server.url);
  endWithSignals(
    async () => {
      print('ending', 'answers that are being written may end; Ctrl+C again ends at once');
      await host.drain({ deadlineMs: DRAIN_MS });
      await server.close();
      await agents.close();
    },
    () => host.close(),
  );
}

function openStorage() {
  if (flags.memory) return memoryStorage();
  if (flags.database !== undefined) return postgresStorage({ connectionString: flags.database });
  return postgresStorage({ directory: join(flags.data, 'host') });
}

function whereKept() {
  if (flags.memory) return 'memory: nothing is left when the program ends';
  const folder = relative(process.cwd(), flags.data) || '.';
  // The address of a database may have a password in it.
  return flags.database === undefined
    ? `${folder} (PGlite)`
    : `a PostgreSQL server, and ${folder} for the shop`;
}

/**
 * @param {() => Promise<void>} drain
 * @param {() => Promise<void>} hurry
 */
function endWithSignals(drain, hurry) {
  let isEnding = false;
  const end = () => {
    if (isEnding) return void hurry();
    isEnding = true;
    drain().catch((error) => complain(explain(error)));
  };
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
  // `npm start | head -n 1`: the server goes on, whoever reads what it prints.
  process.stdout.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

function readArguments() {
  const data = fileURLToPath(new URL('data', import.meta.url));
  try {
    return parseArgs({
      options: {
        cli: { type: 'boolean', default: false },
        data: { type: 'string', default: data },
        database: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
        live: { type: 'boolean', default: false },
        memory: { type: 'boolean', default: false },
        pace: { type: 'string', default: '45' },
        port: { type: 'string', default: '8787' },
      },
    }).values;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    console.error('See: npm start -- --help');
    process.exit(1);
  }
}

/**
 * @param {'port' | 'pace'} name
 * @param {number} most
 */
function wholeNumber(name, most) {
  const value = flags[name];
  if (/^\d{1,5}$/.test(value) && Number(value) <= most) return Number(value);
  throw new Error(`--${name} must be a whole number from 0 to ${most}, not "${value}".`);
}

/** @param {unknown} error */
function explain(error) {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && error.code === 'EADDRINUSE')
    return `Port ${flags.port} is in use. Choose another one with --port, or any free one with --port 0.`;
  return error.message;
}

/** @param {string} message */
function complain(message) {
  console.error(message);
  process.exitCode = 1;
}
