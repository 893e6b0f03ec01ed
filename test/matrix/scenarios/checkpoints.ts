/** Files beside the conversation: read by the host, marked as read, and taken back to what they were. */
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { SDKUserMessage } from '../../../src/index.js';
import { text, toolUse } from '../../../src/testing/index.js';
import { details } from '../support/file-calls.js';
import { writeFiles } from '../support/files.js';
import { outcomeOf } from '../support/run-scenario.js';
import { says } from '../support/says.js';
import type { Context, Outcome, Scenario } from '../support/scenario.js';
import { FIRST, nthResult, whileIdle } from '../support/while-idle.js';

const SECOND = '22222222-2222-4222-8222-222222222222';
const UNKNOWN = '33333333-3333-4333-8333-333333333333';

const TOOLS = ['Read', 'Write', 'Edit', 'Bash'];
const checkpointing = { tools: TOOLS, allowedTools: TOOLS, enableFileCheckpointing: true };

const edit = (old_string: string, new_string: string) =>
  toolUse('Edit', { file_path: 'a.txt', old_string, new_string });
const write = (file_path: string, content: string) => toolUse('Write', { file_path, content });

const FILES = ['a.txt', 'n/e/w.txt', 'b.txt', 'by-command.txt'];

function filesNow({ box }: Context): Record<string, string | null> {
  const contentOf = (name: string): string | null => {
    const path = join(box.cwd, name);
    return existsSync(path) ? readFileSync(path, 'utf8') : null;
  };
  return Object.fromEntries(FILES.map((name) => [name, contentOf(name)]));
}

type Steps = Record<string, { value?: unknown; threw?: { message: string } }>;
const steps = (outcome: Outcome): Steps => outcome.driven as Steps;

export const checkpoints: readonly Scenario[] = [
  {
    name: 'files that the host reads through the agent',
    cites: 's08-control-requests, R49',
    script: [text('Hello.')],
    options: ({ box }) => {
      writeFiles(box.cwd, {
        'note.txt': 'buy\r\nmilk\n',
        'bom.txt': '\uFEFFa',
        'latin1.txt': new Uint8Array([0x67, 0xfc]),
        'secret/s.txt': 'secret',
      });
      writeFiles(box.home, { 'h.txt': 'home' });
      symlinkSync(join(box.home, 'h.txt'), join(box.cwd, 'link.txt'));
      return { disallowedTools: ['Read(./secret/**)'] };
    },
    ...whileIdle({
      read: (query) => query.readFile('note.txt'),
      absolute: (query, { box }) => query.readFile(join(box.cwd, 'note.txt')),
      mark: (query) => query.readFile('bom.txt'),
      lossy: (query) => query.readFile('latin1.txt'),
      base64: (query) => query.readFile('latin1.txt', { encoding: 'base64' }),
      some: (query) => query.readFile('note.txt', { maxBytes: 3 }),
      none: (query) => query.readFile('note.txt', { maxBytes: 0 }),
      less: (query) => query.readFile('note.txt', { maxBytes: -1 }),
      missing: (query) => query.readFile('nothing.txt'),
      folder: (query) => query.readFile('secret'),
      forbidden: (query) => query.readFile('secret/s.txt'),
      outside: (query, { box }) => query.readFile(join(box.home, 'h.txt')),
      link: (query) => query.readFile('link.txt'),
      rewind: (query) => query.rewindFiles(FIRST),
    }),
    check: (outcome) => {
      expect(steps(outcome).read?.value).toMatchObject({ contents: 'buy\r\nmilk\n', lossy: false });
      expect(steps(outcome).some?.value).toMatchObject({ contents: 'buy', truncated: true });
      for (const name of ['missing', 'folder', 'forbidden', 'outside', 'link']) {
        expect(steps(outcome)[name]).toEqual({ value: null });
      }
      expect(steps(outcome).rewind?.threw?.message).toContain('File rewinding is not enabled');
    },
  },
  {
    name: 'files as they were before each message',
    cites: 's15-rewind-files, builtin-tools 4, R49',
    script: [
      edit('one', 'ONE'),
      write('n/e/w.txt', 'new\nlines\n'),
      text('First.'),
      edit('two', 'TWO'),
      write('b.txt', 'b\n'),
      toolUse('Bash', { command: 'echo made > by-command.txt', description: 'Make it' }),
      text('Second.'),
    ],
    options: ({ box }) => {
      writeFiles(box.cwd, { 'a.txt': 'one\ntwo\nthree\n' });
      return checkpointing;
    },
    prompt: async function* (context): AsyncGenerator<SDKUserMessage> {
      yield says('go', { uuid: FIRST });
      await nthResult(context, 1);
      yield says('more', { uuid: SECOND });
      await context.calls.waitFor(({ name }) => name === 'steps done', 'the end of the steps');
    },
    drive: async (query, context) => {
      await nthResult(context, 2);
      const rewind = (id: string, dryRun?: true): Promise<unknown> =>
        outcomeOf(dryRun ? query.rewindFiles(id, { dryRun }) : query.rewindFiles(id));
      const outcomes = {
        drySecond: await rewind(SECOND, true),
        dryFirst: await rewind(FIRST, true),
        dryUnknown: await rewind(UNKNOWN, true),
        second: await rewind(SECOND),
        afterSecond: filesNow(context),
        nothingLeft: await rewind(SECOND, true),
      };
      writeFileSync(join(context.box.cwd, 'a.txt'), 'foreign\n');
      const more = {
        first: await rewind(FIRST),
        afterFirst: filesNow(context),
        unknown: await rewind(UNKNOWN),
        nonsense: await rewind('nonsense'),
        forwards: await rewind(SECOND),
        afterForwards: filesNow(context),
      };
      context.note('steps done');
      return { ...outcomes, ...more };
    },
    check: ({ driven }) => {
      expect(driven).toMatchObject({
        dryFirst: { value: { canRewind: true, insertions: 2, deletions: 5 } },
        dryUnknown: { value: { canRewind: false } },
        second: { value: { canRewind: true, skippedLinks: 0 } },
        afterSecond: { 'a.txt': 'ONE\ntwo\nthree\n', 'b.txt': null, 'by-command.txt': 'made\n' },
        afterFirst: { 'a.txt': 'one\ntwo\nthree\n', 'n/e/w.txt': null },
        unknown: { threw: {} },
      });
    },
  },
  {
    name: 'files as they were in a conversation that is resumed',
    cites: 's15-rewind-files, builtin-tools 4, R49, R34',
    script: [edit('one', 'ONE'), write('b.txt', 'b\n'), text('First.'), edit('two', 'TWO'), text('Second.')],
    earlier: {
      prompt: 'go',
      options: ({ box }) => {
        writeFiles(box.cwd, { 'a.txt': 'one\ntwo\nthree\n' });
        // The message of the user is told again, with its id.
        return { ...checkpointing, extraArgs: { 'replay-user-messages': null } };
      },
    },
    prompt: async function* (context): AsyncGenerator<SDKUserMessage> {
      yield says('more', { uuid: SECOND });
      await context.calls.waitFor(({ name }) => name === 'steps done', 'the end of the steps');
    },
    options: ({ earlierSession }) => ({ ...checkpointing, resume: earlierSession }),
    drive: async (query, context) => {
      await nthResult(context, 1);
      const said = context.earlierMessages.find(
        (message) => message.type === 'user' && 'isReplay' in message,
      );
      const outcomes = {
        dryRun: await outcomeOf(query.rewindFiles(said?.uuid ?? 'no id', { dryRun: true })),
        second: await outcomeOf(query.rewindFiles(SECOND)),
        afterSecond: filesNow(context),
        first: await outcomeOf(query.rewindFiles(said?.uuid ?? 'no id')),
        afterFirst: filesNow(context),
      };
      context.note('steps done');
      return outcomes;
    },
    check: ({ driven }) => {
      expect(driven).toMatchObject({
        afterSecond: { 'a.txt': 'ONE\ntwo\nthree\n', 'b.txt': 'b\n' },
        first: { value: { canRewind: true } },
        afterFirst: { 'a.txt': 'one\ntwo\nthree\n', 'b.txt': null },
      });
    },
  },
  {
    name: 'files that the host says the model has read',
    cites: 's08-control-requests, R49',
    script: [
      text('Hello.'),
      toolUse('Edit', { file_path: 'seen.txt', old_string: 'one', new_string: 'ONE' }),
      write('relative.txt', 'x'),
      toolUse('Edit', { file_path: 'changed.txt', old_string: 'one', new_string: 'ONE' }),
      toolUse('Edit', { file_path: 'unseen.txt', old_string: 'one', new_string: 'ONE' }),
      text('Done.'),
    ],
    options: ({ box }) => {
      const content = 'one\n';
      writeFiles(box.cwd, {
        'seen.txt': content,
        'relative.txt': content,
        'changed.txt': content,
        'unseen.txt': content,
      });
      return { tools: ['Edit', 'Write'], allowedTools: ['Edit', 'Write'] };
    },
    ...whileIdle(
      {
        seen: (query, { box }) => query.seedReadState(join(box.cwd, 'seen.txt'), Date.now()),
        relative: (query) => query.seedReadState('relative.txt', Date.now()),
        // Changed since then.
        changed: (query, { box }) => query.seedReadState(join(box.cwd, 'changed.txt'), 1_000),
        missing: (query) => query.seedReadState('nothing.txt', Date.now()),
      },
      'and now?',
    ),
    check: (outcome) => {
      expect(details(outcome).map((detail) => typeof detail)).toEqual([
        'object',
        'object',
        'string',
        'string',
      ]);
    },
  },
];
