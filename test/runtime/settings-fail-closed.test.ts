/** Where the CLI loses a restriction without a word, the embedded runtime says no. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSession, type Options, query, type Settings, TenonError } from '../../src/index.js';
import { embedded } from '../../src/runtime/index.js';
import { scriptedModel, toolUse } from '../../src/testing/index.js';
import { alive, collect, type Sandbox, sandbox, waitUntil } from '../support/real-cli.js';
import { server } from './support.js';

type Content = Settings | string;

/** One call of `mcp__s__a`, which the host allows. */
async function callUnder(
  box: Sandbox,
  { files = {}, options = {} }: { files?: Record<string, Content>; options?: Options },
) {
  await mkdir(join(box.cwd, '.claude'), { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    await writeFile(
      join(box.home, '..', path),
      typeof content === 'string' ? content : JSON.stringify(content),
    );
  }
  const ran: unknown[] = [];
  const s = server({ a: (input) => ran.push(input) });
  const model = scriptedModel([toolUse('mcp__s__a', {}), 'Done.']);
  const outcome = await collect(
    query({
      prompt: 'Go.',
      options: {
        runtime: embedded({ model }),
        cwd: box.cwd,
        env: box.env(),
        mcpServers: { s },
        allowedTools: ['mcp__s'],
        ...options,
      },
    }),
  );
  return { ...outcome, ran, model };
}

const hooks = (command: string, more: object = {}): Settings => ({
  hooks: { PreToolUse: [{ hooks: [{ type: 'command', command, ...more }] }] },
});

describe('a conversation does not start with', () => {
  it.each<[what: string, given: Parameters<typeof callUnder>[1], texts: string[]]>([
    [
      'a file of the user that is no JSON',
      { files: { 'config/settings.json': '{ "permissions": ' } },
      ['config/settings.json', 'not valid JSON', 'leave "user" out of `settingSources`'],
    ],
    [
      'a rule list of the project that is no list',
      { files: { 'work/.claude/settings.json': { permissions: { deny: 'mcp__s__a' as never } } } },
      ['work/.claude/settings.json', '`permissions.deny` must be a list of strings', '"project"'],
    ],
    [
      'an invalid rule in a file of the person in the project',
      { files: { 'work/.claude/settings.local.json': { permissions: { deny: ['mcp__s__a(x)'] } } } },
      ['settings.local.json', '`permissions.deny` has the rule "mcp__s__a(x)"', 'specifiers'],
    ],
    [
      'a file that is not there',
      { options: { settings: 'nowhere.json' } },
      ['nowhere.json', 'does not exist', 'Correct the option `settings`'],
    ],
    [
      'a given file that is no JSON',
      { files: { 'work/given.json': '{' }, options: { settings: 'given.json' } },
      ['given.json', 'not valid JSON'],
    ],
    [
      'an ask rule that is not valid, inline',
      { options: { settings: { permissions: { ask: ['Bash('] } } } },
      ['options.settings', '`permissions.ask` has the rule "Bash("'],
    ],
    [
      'a policy of the wrong shape',
      { options: { managedSettings: { permissions: { deny: 'mcp__s__a' as never } } } },
      ['options.managedSettings', '`permissions.deny` must be a list of strings'],
    ],
    [
      'a mode that does not exist',
      { options: { settings: { permissions: { defaultMode: 'careful' } } } },
      ['`permissions.defaultMode` must be one of', '"careful"'],
    ],
    [
      'a sandbox',
      { files: { 'config/settings.json': { sandbox: { enabled: true } } } },
      ['config/settings.json', '`sandbox` is enabled'],
    ],
    [
      'a hook that is no command',
      {
        options: {
          settings: { hooks: { PreToolUse: [{ hooks: [{ type: 'http', url: 'http://localhost' }] }] } },
        },
      },
      ['`hooks.PreToolUse`', 'not "http"'],
    ],
    [
      'a hook of an event that could say no and is never called',
      {
        options: {
          settings: { hooks: { Elicitation: [{ hooks: [{ type: 'command', command: 'exit 2' }] }] } },
        },
      },
      ['`hooks.Elicitation`'],
    ],
    [
      'a matcher that can never match',
      {
        options: {
          settings: { hooks: { PreToolUse: [{ matcher: '(', hooks: [{ type: 'command', command: 'x' }] }] } },
        },
      },
      ['`hooks.PreToolUse`: "(" is not a valid regular expression'],
    ],
    [
      'a list of denied servers that names none',
      { options: { managedSettings: { deniedMcpServers: ['a'] } } },
      ['`deniedMcpServers` must be a list of'],
    ],
    [
      'a model that is denied',
      { options: { model: 'claude-haiku-4-5', managedSettings: { deniedModels: ['haiku'] } } },
      ['"claude-haiku-4-5" is forbidden by `deniedModels`'],
    ],
    [
      'a model that is not available',
      { options: { model: 'claude-haiku-4-5', settings: { availableModels: ['opus'] } } },
      ['"claude-haiku-4-5" is not among `availableModels`', 'opus'],
    ],
  ])('%s (R51)', async (_, given, texts) => {
    await using box = sandbox();
    const { error, ran, model } = await callUnder(box, given);
    const isLacking = /sandbox|not "http"|`hooks.Elicitation`/.test(texts.join());
    expect(TenonError.is(error) && error.code).toBe(isLacking ? 'NOT_SUPPORTED' : 'INVALID_SETTINGS');
    for (const text of texts) expect((error as Error).message).toContain(text);
    expect([ran, model.requests]).toEqual([[], []]);
  });
});

describe('a command hook before a tool', () => {
  it.each([
    ['cannot be run', hooks('/nowhere/at-all'), 'could not be run'],
    ['is ended by a signal', hooks('kill -9 $$'), 'could not be run'],
    ['writes JSON that is none', hooks(`echo '{"decision":'`), 'not valid JSON'],
    ['writes a decision that nobody knows', hooks(`echo '{"decision":"perhaps"}'`), 'unknown `decision`'],
  ])('that %s stops the tool (R51)', async (_, settings, reason) => {
    await using box = sandbox();
    const { ran, messages } = await callUnder(box, { options: { settings } });
    expect(ran).toEqual([]);
    expect(JSON.stringify(messages)).toContain(reason);
  });

  it('that is late stops the tool, and is ended with all that it has started (R51)', async () => {
    await using box = sandbox();
    const pids = join(box.cwd, 'pids');
    const command = `sleep 600 & echo $! $$ > ${pids}; wait`;
    const { ran, messages } = await callUnder(box, {
      options: { settings: hooks(command, { timeout: 0.5 }) },
    });
    expect(ran).toEqual([]);
    expect(JSON.stringify(messages)).toContain('did not respond within 0.5 s');
    const started = (await readFile(pids, 'utf8')).trim().split(' ').map(Number);
    expect(started).toHaveLength(2);
    await waitUntil(() => !started.some(alive), { what: 'the end of the hook' });
  });

  it('that leaves something running has it ended (R51)', async () => {
    await using box = sandbox();
    const pids = join(box.cwd, 'pids');
    const { ran } = await callUnder(box, {
      options: { settings: hooks(`sleep 600 >/dev/null 2>&1 & echo $! > ${pids}`) },
    });
    expect(ran).toHaveLength(1);
    const started = Number(await readFile(pids, 'utf8'));
    await waitUntil(() => !alive(started), { what: 'the end of what it left' });
  });

  it('is ended by an interrupt (R51)', async () => {
    await using box = sandbox();
    const pids = join(box.cwd, 'pids');
    const ran: unknown[] = [];
    const session = createSession({
      runtime: embedded({ model: scriptedModel([toolUse('mcp__s__a', {}), 'Done.']) }),
      cwd: box.cwd,
      env: box.env(),
      mcpServers: { s: server({ a: (input) => ran.push(input) }) },
      allowedTools: ['mcp__s'],
      settings: hooks(`echo $$ > ${pids}.new; mv ${pids}.new ${pids}; sleep 600`),
    });
    session.send('Go.');
    const reading = collect(session.stream());
    const pidOf = async () => Number(await readFile(pids, 'utf8').catch(() => '0'));
    await waitUntil(async () => (await pidOf()) > 0, { what: 'the start of the hook' });
    await session.query.interrupt();
    await reading;
    const pid = await pidOf();
    await waitUntil(() => !alive(pid), { what: 'the end of the hook' });
    expect(ran).toEqual([]);
    await session.close();
  });
});

describe('command hooks of every event', () => {
  it('are run with the event on their stdin, the end of the conversation included (R51)', async () => {
    await using box = sandbox();
    const log = join(box.cwd, 'log');
    const events = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop', 'SessionEnd'];
    const command = `cat >> ${log}`;
    const written = Object.fromEntries(
      events.map((event) => [event, [{ hooks: [{ type: 'command', command }] }]]),
    );
    const { ran } = await callUnder(box, { options: { settings: { hooks: written } } });
    expect(ran).toHaveLength(1);
    const inputs = (await readFile(log, 'utf8')).trim().split('\n');
    const names = inputs.map((line) => JSON.parse(line).hook_event_name);
    expect(names).toEqual(events);
    expect(JSON.parse(inputs[2] ?? '')).toMatchObject({ tool_name: 'mcp__s__a', cwd: box.cwd });
  });

  it('tell the model what they print before a prompt, and can stop the prompt (R51)', async () => {
    await using box = sandbox();
    const on = (command: string): Options => ({
      settings: { hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command', command }] }] } },
    });
    const told = await callUnder(box, { options: on('echo "The sky is green."') });
    expect(JSON.stringify(told.model.requests[0]?.messages)).toContain('The sky is green.');
    const stopped = await callUnder(box, { options: on('echo "no prompts today" >&2; exit 2') });
    expect(stopped.model.requests).toEqual([]);
    expect(JSON.stringify(stopped.messages)).toContain('no prompts today');
  });
});

describe('a policy', () => {
  it('cannot be changed by an answer of the host (R51)', async () => {
    await using box = sandbox();
    const { ran, messages } = await callUnder(box, {
      options: {
        managedSettings: { permissions: { deny: ['mcp__s__a'] } },
        allowedTools: [],
        canUseTool: async () => ({
          behavior: 'allow',
          updatedPermissions: [
            {
              type: 'removeRules',
              rules: [{ toolName: 'mcp__s__a' }],
              behavior: 'deny',
              destination: 'policySettings' as never,
            },
          ],
        }),
      },
    });
    expect(ran).toEqual([]);
    expect(JSON.stringify(messages)).toContain('No such tool');
  });

  it('is named in the rules that the host can read, as every source is (R51)', async () => {
    await using box = sandbox();
    await mkdir(join(box.cwd, '.claude'));
    const project = { permissions: { ask: ['mcp__s__b'] } };
    await writeFile(join(box.cwd, '.claude', 'settings.json'), JSON.stringify(project));
    const session = createSession({
      runtime: embedded({ model: scriptedModel([]) }),
      cwd: box.cwd,
      env: box.env(),
      settings: { permissions: { allow: ['mcp__s__c'] } },
      managedSettings: { permissions: { deny: ['mcp__s__a'] } },
    });
    const settings = await session.query.controlRequest('get_settings', {});
    expect(settings).toMatchObject({
      effective: { permissions: { deny: ['mcp__s__a'], ask: ['mcp__s__b'], allow: ['mcp__s__c'] } },
      sources: [{ source: 'projectSettings' }, { source: 'flagSettings' }, { source: 'policySettings' }],
    });
    await session.close();
  });
});
