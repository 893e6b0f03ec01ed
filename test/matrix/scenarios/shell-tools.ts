/** Commands: what they print, where they run, how they end, and what goes on in the background. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { SDKMessage, SDKUserMessage } from '../../../src/index.js';
import { type ScriptStep, text, toolUse } from '../../../src/testing/index.js';
import { alive, waitUntil } from '../../support/real-cli.js';
import { kinds, results } from '../support/calc.js';
import { says } from '../support/says.js';
import type { Context, Outcome, Scenario } from '../support/scenario.js';
import { inOrder, lastTask } from '../support/steps.js';

const bash = (command: string, more: Record<string, unknown> = {}): ScriptStep =>
  toolUse('Bash', { command, description: 'Run it', ...more });

const TOOLS = ['Bash', 'TaskStop'];
const base = {
  options: () => ({ tools: TOOLS, allowedTools: TOOLS }),
} as const satisfies Partial<Scenario>;

/** An image of one pixel. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Never ends by itself, and is no `sleep`. */
const FOREVER = 'tail -f /dev/null';

const told = (outcome: Outcome): unknown[] =>
  outcome.messages.flatMap((message) => (message.type === 'user' ? [message.tool_use_result] : []));

const nthResult = (context: Context, nth: number) =>
  context.messages.waitFor(({ type }) => type === 'result', `result ${nth}`, nth);

const taskLine = (subtype: string) => (message: SDKMessage) =>
  message.type === 'system' && message.subtype === subtype;

const pidIn = (context: Context, file: string): number =>
  Number(readFileSync(join(context.box.cwd, file), 'utf8'));

/** The id of the process is in the file, and the line is complete. */
const written = (context: Context, file: string): Promise<void> =>
  waitUntil(
    () => {
      const path = join(context.box.cwd, file);
      return existsSync(path) && readFileSync(path, 'utf8').endsWith('\n');
    },
    { what: `${file} is written` },
  );

const put = (context: Context, file: string): void => writeFileSync(join(context.box.cwd, file), '');

export const shellTools: readonly Scenario[] = [
  {
    ...base,
    name: 'commands and how they end',
    cites: 's15-bash, R50',
    script: [
      bash('echo out; echo err >&2'),
      bash('printf "\\n\\n  x \\n\\n"'),
      bash('echo o1; exit 7'),
      bash('exit 3'),
      bash('true'),
      bash('mkdir made && touch made/it'),
      bash('echo one > a.txt; echo two | grep three'),
      bash('diff a.txt /dev/null'),
      bash('test 1 = 2'),
      bash('cat; echo end'),
      bash('echo "$MY_VAR $CLAUDECODE"'),
      bash('export KEPT=1'),
      bash('echo "[$KEPT]"'),
      bash(`printf "data:image/png;base64,${PIXEL}"`),
      text('done'),
    ],
    env: { MY_VAR: 'mine' },
    check: (outcome) => {
      expect(told(outcome).slice(0, 3)).toEqual([
        { stdout: 'out\nerr', stderr: '', interrupted: false, isImage: false, noOutputExpected: false },
        { stdout: '  x', stderr: '', interrupted: false, isImage: false, noOutputExpected: false },
        'Error: Exit code 7\no1',
      ]);
      expect(told(outcome)).toContainEqual(expect.objectContaining({ stdout: 'mine 1' }));
      expect(told(outcome)).toContainEqual(expect.objectContaining({ stdout: '[]' }));
    },
  },
  {
    ...base,
    name: 'a hook that changes what a command has printed',
    cites: 's15-hooks, builtin-tools 4, R50',
    script: [bash('echo secret'), bash('echo open'), text('done')],
    options: () => ({
      tools: TOOLS,
      allowedTools: TOOLS,
      hooks: {
        PostToolUse: [
          {
            hooks: [
              (input) => {
                const { tool_response: output } = input as { tool_response: { stdout: string } };
                // The second one has not the form of a command's output, and is not used.
                const updatedToolOutput =
                  output.stdout === 'secret' ? { ...output, stdout: 'hidden' } : 'hidden';
                return Promise.resolve({
                  hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput },
                });
              },
            ],
          },
        ],
      },
    }),
    check: (outcome) => {
      expect(told(outcome)).toMatchObject([{ stdout: 'hidden' }, { stdout: 'open' }]);
    },
  },
  {
    ...base,
    name: 'a directory that is kept, and one that is not',
    cites: 's15-bash, R50',
    script: [
      bash('mkdir -p sub/deep && cd sub'),
      bash('pwd'),
      bash('cd deep && false'),
      bash('pwd'),
      bash('cd / && pwd'),
      bash('pwd'),
      bash('cd sub && ln -s / away && cd away'),
      bash('pwd'),
      text('done'),
    ],
    check: (outcome) => {
      const shown = told(outcome) as { stdout: string }[];
      const { cwd } = outcome.messages.find(
        (message) => message.type === 'system' && message.subtype === 'init',
      ) as {
        cwd: string;
      };
      expect([1, 3, 5, 7].map((index) => shown[index]?.stdout)).toEqual([
        `${cwd}/sub`,
        `${cwd}/sub`,
        cwd,
        cwd,
      ]);
    },
  },
  {
    ...base,
    name: 'calls of commands that do not run',
    cites: 's15-bash, builtin-tools 1, R50',
    script: [
      toolUse('Bash', {}),
      toolUse('Bash', { command: 5 }),
      toolUse('Bash', { command: 'echo 1', surprise: 1 }),
      bash('sleep 30; echo never'),
      bash('sleep 30'),
      toolUse('TaskStop', { task_id: 'nosuch' }),
      toolUse('TaskStop', {}),
      toolUse('BashOutput', { bash_id: 'nosuch' }),
      text('done'),
    ],
    options: (context) => ({
      tools: TOOLS,
      canUseTool: (name) => {
        context.note('canUseTool', name);
        return Promise.resolve({ behavior: 'deny', message: 'no' });
      },
    }),
    check: (outcome) => {
      expect(outcome.calls).toEqual([]);
      const problems = told(outcome).map((detail) => typeof detail);
      expect(problems).toEqual(Array(8).fill('string'));
    },
  },
  {
    ...base,
    name: 'a command with much output',
    cites: 's15-bash, R50',
    script: inOrder(bash('seq 1 60000'), bash('seq 1 200'), text('done')),
    env: { BASH_MAX_OUTPUT_LENGTH: '500' },
    check: (outcome) => {
      const [first] = told(outcome) as { stdout: string; persistedOutputPath: string }[];
      expect(first).toMatchObject({ persistedOutputSize: 348_894 });
      expect(first?.persistedOutputPath).toContain('/tool-results/');
    },
  },
  {
    ...base,
    name: 'commands that take too long',
    cites: 's15-bash, s15-bash-timeout-background, R50',
    script: inOrder(
      bash('sleep 20', { timeout: 300 }),
      bash('sleep 20; echo never', { timeout: 300 }),
      bash(`echo begun; ${FOREVER}`),
      (request) => toolUse('TaskStop', { task_id: lastTask(request) }),
      bash(`echo begun; ${FOREVER}`, { timeout: 999_999_999 }),
      (request) => toolUse('TaskStop', { shell_id: lastTask(request) }),
      (request) => toolUse('TaskStop', { task_id: lastTask(request) }),
      text('done'),
    ),
    env: { BASH_DEFAULT_TIMEOUT_MS: '600', BASH_MAX_TIMEOUT_MS: '1000' },
    check: (outcome) => {
      const shown = told(outcome);
      expect(shown[0]).toContain('Exit code 143');
      expect(shown[2]).toMatchObject({ stdout: 'begun', timedOutAfterMs: 600 });
      expect(shown[4]).toMatchObject({ stdout: 'begun', timedOutAfterMs: 1000 });
      expect(shown[3]).toMatchObject({ task_type: 'local_bash', command: `echo begun; ${FOREVER}` });
      expect(results(outcome)).toHaveLength(1);
    },
  },
  {
    ...base,
    name: 'a command in the background',
    cites: 's15-bash-background-late, R50',
    script: inOrder(
      bash('until [ -e go ]; do sleep 0.05; done; echo finished; exit 4', { run_in_background: true }),
      text('launched'),
      text('heard of it'),
    ),
    drive: async (_, context) => {
      await nthResult(context, 1);
      put(context, 'go');
    },
    check: (outcome) => {
      expect(results(outcome)).toMatchObject([
        { result: 'launched' },
        { result: 'heard of it', origin: { kind: 'task-notification' } },
      ]);
      expect(kinds(outcome.messages).filter((kind) => kind.includes('task'))).toEqual([
        'system/background_tasks_changed',
        'system/task_started',
        'system/task_updated',
        'system/task_notification',
        'system/background_tasks_changed',
      ]);
    },
  },
  {
    ...base,
    name: 'a background command that ends during the turn',
    cites: 's15-bash-background, R50',
    script: inOrder(
      bash('echo begun; until [ -e go ]; do sleep 0.05; done', { run_in_background: true }),
      bash('until [ -e seen ]; do sleep 0.05; done; echo waited'),
      bash('echo last'),
      text('done'),
    ),
    drive: async (_, context) => {
      await context.messages.waitFor(({ type }) => type === 'assistant', 'the second call', 2);
      put(context, 'go');
      await context.messages.waitFor(taskLine('task_notification'), 'the end of the task');
      put(context, 'seen');
    },
    check: (outcome) => {
      expect(results(outcome)).toHaveLength(1);
      // Whatever it has printed by then: that is for whoever reads its file.
      expect(told(outcome)[0]).toMatchObject({ stdout: '', backgroundTaskId: expect.any(String) });
      const said = JSON.stringify(outcome.requests[2]?.body.messages);
      expect(said).toContain('<status>completed</status>');
    },
  },
  {
    ...base,
    name: 'an interrupt of a command, with another one in the background',
    cites: 's15-bash-interrupt, R50, R24',
    script: inOrder(
      bash(`echo $$ > background.pid; ${FOREVER}`, { run_in_background: true }),
      bash(`${FOREVER} & echo $! > child.pid; echo $$ > own.pid; wait`),
      text('still here'),
    ),
    // A command that leaves something behind is asked about even where a rule allows it.
    options: (context) => ({
      tools: TOOLS,
      hooks: {
        Stop: [
          {
            hooks: [
              (input) => {
                context.note('Stop', input);
                return Promise.resolve({});
              },
            ],
          },
        ],
      },
      canUseTool: (_, input) => Promise.resolve({ behavior: 'allow', updatedInput: input }),
    }),
    prompt: async function* (context): AsyncGenerator<SDKUserMessage> {
      yield says('go');
      await nthResult(context, 1);
      yield says('and now?');
      await context.calls.waitFor(({ name }) => name === 'stopped', 'the end of the task');
    },
    drive: async (query, context) => {
      for (const file of ['background.pid', 'child.pid', 'own.pid']) await written(context, file);
      await query.interrupt();
      await nthResult(context, 1);
      const foreground = ['child.pid', 'own.pid'].map((file) => pidIn(context, file));
      await waitUntil(() => !foreground.some(alive), { what: 'the command and its child are gone' });
      const survived = alive(pidIn(context, 'background.pid'));
      await nthResult(context, 2);
      const started = await context.messages.waitFor(taskLine('task_started'), 'the task');
      const { task_id } = started as { task_id: string };
      await query.stopTask(task_id);
      await query.stopTask('nosuch');
      await waitUntil(() => !alive(pidIn(context, 'background.pid')), { what: 'the task is gone' });
      context.note('stopped');
      return { survived };
    },
    check: (outcome) => {
      expect(outcome.driven).toMatchObject({ survived: true });
      expect(outcome.calls[0]).toMatchObject({
        input: { background_tasks: [{ type: 'shell', status: 'running' }] },
      });
      expect(results(outcome)).toMatchObject([
        { subtype: 'error_during_execution', terminal_reason: 'aborted_tools' },
        { result: 'still here' },
      ]);
    },
  },
  {
    ...base,
    name: 'a long command that the host moves to the background',
    cites: 'builtin-tools 3, R50',
    script: inOrder(
      bash('until [ -e go ]; do sleep 0.05; done; echo finished'),
      text('moved'),
      text('heard of it'),
    ),
    drive: async (query, context) => {
      // After some seconds the host is told of a command; from then on it can be moved.
      await context.messages.waitFor(taskLine('task_started'), 'the task');
      const others = await query.backgroundTasks('nosuch');
      const all = await query.backgroundTasks();
      await nthResult(context, 1);
      put(context, 'go');
      return { others, all };
    },
    check: (outcome) => {
      expect(outcome.driven).toEqual({ others: false, all: true });
      expect(told(outcome)).toMatchObject([{ backgroundedByUser: true }]);
      expect(results(outcome)).toMatchObject([{ result: 'moved' }, { result: 'heard of it' }]);
    },
  },
  {
    ...base,
    name: 'the agent is told to stop while commands run',
    cites: 'builtin-tools 3, R50, R25',
    processOnly: 'There is no process that could be told to stop.',
    script: inOrder(
      bash(`echo $$ > background.pid; ${FOREVER}`, { run_in_background: true }),
      bash(`echo $$ > own.pid; ${FOREVER}`),
      text('never'),
    ),
    // What is still written at such a moment is a race.
    ignore: ['messages', 'model'],
    drive: async (_, context) => {
      for (const file of ['background.pid', 'own.pid']) await written(context, file);
      const commands = ['background.pid', 'own.pid'].map((file) => pidIn(context, file));
      context.child.kill('SIGTERM');
      await waitUntil(() => !commands.some(alive), { what: 'the commands are gone' });
    },
    check: (outcome) => expect(outcome.exit).toEqual({ code: 143, signal: null }),
  },
];
