// The command line shared by all examples.

import process from 'node:process';
import { parseArgs } from 'node:util';
import { runExample } from './agent.mjs';
import { terminal } from './terminal.mjs';

/** @param {import('./agent.mjs').Example} example */
export async function main(example) {
  const { values, positionals } = readArguments(example);
  const ownQuestion = positionals.join(' ');
  const live = values.live || ownQuestion !== '';
  const question = ownQuestion === '' ? example.question : ownQuestion;
  if (values.help) return help(example);
  const hasModel = Boolean(process.env.ANTHROPIC_API_KEY || process.env.ANTHROPIC_BASE_URL);
  if (live && !hasModel && !values.cli) {
    return complain(
      'A real model needs ANTHROPIC_API_KEY or ANTHROPIC_BASE_URL. Without a question or --live, the model is scripted.',
    );
  }
  const { print, show } = terminal();
  const unread = abortedWhenUnread();
  print(
    'agent',
    `${values.cli ? 'the Claude Code CLI' : 'the embedded runtime'}, ${live ? 'a real model' : 'a scripted model'}`,
  );
  print('question', question);
  try {
    const backend = values.cli ? 'cli' : 'embedded';
    await runExample(example, {
      backend,
      live,
      question,
      show,
      print,
      flags: values,
      options: { signal: unread },
    });
    if (!live && hasModel)
      print('hint', 'a key is set: use --live, or ask your own question, to call a real model');
  } catch (error) {
    if (unread.aborted) return;
    complain(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
  }
}

/** `npm start | head -n 1`: the reader has enough, so the agent may stop. */
function abortedWhenUnread() {
  const controller = new AbortController();
  process.stdout.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
    if (error.code !== 'EPIPE') throw error;
    controller.abort();
  });
  return controller.signal;
}

/** @param {import('./agent.mjs').Example} example */
function readArguments({ flags = {} }) {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        ...flags,
        cli: { type: 'boolean', default: false },
        live: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    console.error('See: npm start -- --help');
    process.exit(1);
  }
}

/** @param {import('./agent.mjs').Example} example */
function help(example) {
  console.log(`${example.name}: ${example.question}

npm start                   on the embedded runtime, with a scripted model: no key, no network
npm start -- --cli          on the Claude Code CLI, if it is installed, with the same script
npm start -- --live         the same question to a real model
npm start -- "question"     your own question to a real model
${ownFlags(example)}
A real model needs ANTHROPIC_API_KEY or ANTHROPIC_BASE_URL; with --cli, the login of the CLI is enough.`);
}

/** @param {import('./agent.mjs').Example} example */
function ownFlags({ flags = {} }) {
  return Object.entries(flags)
    .map(([name, { help }]) => `npm start -- ${`--${name}`.padEnd(14)} ${help}\n`)
    .join('');
}

/** @param {string} message */
function complain(message) {
  console.error(message);
  process.exitCode = 1;
}
