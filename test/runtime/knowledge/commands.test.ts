/** Commands of files in conversations: what they run, what they mention, and which rules count. */
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RuntimeConfig, RuntimeTool } from '../../../src/runtime/index.js';
import { localWorkspace } from '../../../src/workspace/adapters/local.js';
import { type Loose, talk } from '../support.js';
import { box, onDisk, requestText, shell } from './boxes.js';

describe('commands of files', () => {
  const COMMANDS = {
    'work/.claude/commands/look.md': 'Look: !`ls`',
    'work/.claude/commands/make.md': 'Make: !`touch y`',
    'work/.claude/commands/act.md': '---\nallowed-tools: Bash(touch:*)\n---\nAct: !`touch x`',
  };

  it('R71: run nothing that no rule allows, ask nobody, and then the model is not asked either', async () => {
    const { options } = box(COMMANDS);
    const { config, commands } = shell();
    const { model, session } = talk(
      ['Never.'],
      {
        ...options,
        canUseTool: async () => {
          throw new Error('asked');
        },
      },
      config,
    );
    const result = (await session.ask('/make')) as unknown as Loose;
    expect(result).toMatchObject({ num_turns: 0, local_command: 'custom' });
    expect(String(result.result)).toContain('!`touch y`');
    expect(commands).toEqual([]);
    expect(model.requests).toHaveLength(0);
    await session.close();
  });

  it.each([
    ['/look', [], 'ls'],
    ['/make', ['Bash(touch:*)'], 'touch y'],
    ['/make', ['Bash'], 'touch y'],
  ])(
    'R53: run what only reads, or what a rule allows, and the output stands in the text: %s %j',
    async (typed, allowedTools, command) => {
      const { options } = box(COMMANDS);
      const { config, commands } = shell();
      const { model, session } = talk(['Ok.'], { ...options, allowedTools }, config);
      await session.ask(typed);
      expect(commands).toEqual([command]);
      expect(requestText(model)).toContain(`: ran ${command}`);
      await session.close();
    },
  );

  it.each([
    ['/look', 'Bash(ls)'],
    ['/look', 'Bash'],
    ['/act', 'Bash(touch *)'],
    ['/see', 'Read(./secret/**)'],
  ])('R71: run nothing that a rule forbids, whatever allows it: %s %s', async (typed, forbidden) => {
    const { options } = box({
      'config/commands/act.md': COMMANDS['work/.claude/commands/act.md'],
      'config/commands/look.md': 'Look: !`ls`',
      'config/commands/see.md': '---\nallowed-tools: Bash(cat:*)\n---\nSee: !`cat secret/a`',
      'work/secret/a': 'A SECRET',
    });
    const { config, commands } = shell();
    const { model, session } = talk(
      ['Never.'],
      { ...options, allowedTools: ['Bash'], disallowedTools: [forbidden] },
      config,
    );
    const result = (await session.ask(typed)) as unknown as Loose;
    expect(result).toMatchObject({ num_turns: 0, local_command: 'custom' });
    expect(String(result.result)).toMatch(/denied by the rule|No such tool available: Bash/);
    expect(commands).toEqual([]);
    expect(model.requests).toHaveLength(0);
    await session.close();
  });

  it('R71: count the same rules where there is no workspace, with a shell of the program itself', async () => {
    const commands: string[] = [];
    const tool: RuntimeTool = {
      name: 'Bash',
      description: 'Runs a command',
      inputSchema: { type: 'object' },
      run: async ({ input }) => {
        commands.push(String(input.command));
        return { content: `ran ${input.command}` };
      },
    };
    const values = { commands: { run: { content: 'Run: !`$ARGUMENTS`' } }, tools: [tool] };
    const rules = { allowedTools: ['Bash(git log:*)', 'Bash(ls)'], disallowedTools: ['Bash(git log -p:*)'] };
    const { model, session } = talk(['Ok.'], rules, values);
    for (const command of ['git log -p', 'git log; touch x', 'touch x', 'git log -n 1']) {
      await session.ask(`/run ${command}`);
    }
    expect(commands).toEqual(['git log -n 1']);
    expect(model.requests).toHaveLength(1);
    await session.close();
  });

  it('R71: a hook that guards the shell also guards what commands run', async () => {
    const { options } = box(COMMANDS);
    const { config, commands } = shell();
    const hooks = {
      PreToolUse: [{ hooks: [async () => ({ decision: 'block' as const, reason: 'guarded' })] }],
    };
    const { session } = talk(['Never.'], { ...options, allowedTools: ['Bash'], hooks }, config);
    const result = (await session.ask('/look')) as unknown as Loose;
    expect(String(result.result)).toContain('guarded');
    expect(commands).toEqual([]);
    await session.close();
  });

  it.each([true, false])(
    'R71: what a command of a checkout would allow counts only where the user trusts it: %s',
    async (isTrusted) => {
      const { options, cwd, config: configDirectory } = box(COMMANDS);
      const projects = { [cwd]: { hasTrustDialogAccepted: isTrusted } };
      writeFileSync(join(configDirectory, '.claude.json'), JSON.stringify({ projects }));
      const { config, commands } = shell();
      const { session } = talk(['Ok.'], { ...options, stderr: () => {} }, config);
      session.send('/act');
      const messages: Loose[] = [];
      for await (const message of session.stream()) messages.push(message as unknown as Loose);
      expect(commands).toEqual(isTrusted ? ['touch x'] : []);
      expect(JSON.stringify(messages).includes('the project is not trusted')).toBe(!isTrusted);
      await session.close();
    },
  );

  it("R53: what the user may allow counts without more: it is the user's own file", async () => {
    const { options } = box({ 'config/commands/act.md': COMMANDS['work/.claude/commands/act.md'] });
    const { config, commands } = shell();
    const { session } = talk(['Ok.'], options, config);
    await session.ask('/act');
    expect(commands).toEqual(['touch x']);
    await session.close();
  });

  it('R53: mention files and directories, which the model reads', async () => {
    const { options } = box({ 'work/note.txt': 'A NOTE', 'work/sub/one.txt': '', 'work/sub/two.txt': '' });
    const { model, session } = talk(['Ok.'], options, onDisk);
    await session.ask('See @note.txt. And @sub, @nothing.txt');
    expect(requestText(model)).toContain('1\\tA NOTE');
    expect(requestText(model)).toContain('one.txt\\ntwo.txt');
    await session.close();
  });

  it.each(['Read', 'Read(', 'Read(secret.txt)', 'Read(./link.txt)', 'Read(//**/secret.txt)', 'Read(~/**)'])(
    'R71: mention no files that a rule forbids, by whatever name: %s',
    async (forbidden) => {
      const { options, cwd } = box({
        'work/secret.txt': 'A SECRET',
        'work/.claude/commands/see.md': 'See @link.txt and @secret.txt',
      });
      symlinkSync(join(cwd, 'secret.txt'), join(cwd, 'link.txt'));
      const workspace: RuntimeConfig['workspace'] = () => ({ ...localWorkspace(cwd), home: cwd });
      const { model, session } = talk(
        ['Ok.', 'Ok.'],
        { ...options, disallowedTools: [forbidden] },
        { workspace },
      );
      await session.ask(forbidden.includes('link') ? 'See @link.txt' : 'See @secret.txt and @link.txt');
      expect(requestText(model)).not.toContain('A SECRET');
      if (!forbidden.includes('link')) {
        await session.ask('/see');
        expect(requestText(model, 1)).not.toContain('A SECRET');
      }
      await session.close();
    },
  );

  it('R71: a directory that is mentioned does not show the names of files that a rule forbids', async () => {
    const { options } = box({ 'work/sub/hidden.key': '', 'work/sub/shown.txt': '' });
    const { model, session } = talk(['Ok.'], { ...options, disallowedTools: ['Read(*.key)'] }, onDisk);
    await session.ask('See @sub');
    expect(requestText(model)).toContain('shown.txt');
    expect(requestText(model)).not.toContain('hidden.key');
    await session.close();
  });

  it('R53: only the model may use some', async () => {
    const { options } = box({ 'work/.claude/skills/in/SKILL.md': '---\nuser-invocable: false\n---\nIN' });
    const { model, session } = talk(['Never.'], options, onDisk);
    const result = (await session.ask('/in')) as unknown as Loose;
    expect(result).toMatchObject({ num_turns: 0, local_command: 'custom' });
    expect(model.requests).toHaveLength(0);
    await session.close();
  });

  it('R53: have a model of their own, for one turn', async () => {
    const { options } = box({ 'work/.claude/commands/m.md': '---\nmodel: other\n---\nM' });
    const { model, session } = talk(['One.', 'Two.'], options, onDisk);
    await session.ask('/m');
    await session.ask('two');
    expect(model.requests.map(({ body }) => body.model)).toEqual([
      'other',
      expect.not.stringMatching('other'),
    ]);
    await session.close();
  });

  it('R53: that arrive while tools run have a turn of their own', async () => {
    const { options } = box({ 'work/.claude/commands/c.md': 'COMMAND TEXT' });
    let say = (): void => {};
    const tool: RuntimeTool = {
      name: 'Slow',
      description: 'Waits',
      inputSchema: { type: 'object' },
      needsNoPermission: true,
      run: async () => {
        say();
        return { content: 'ok' };
      },
    };
    const { model, session } = talk([{ toolUses: [{ name: 'Slow' }] }, 'One.', 'Two.'], options, {
      ...onDisk,
      tools: [tool],
    });
    let second: Promise<unknown> = Promise.resolve();
    say = () => {
      second = session.ask('/c');
    };
    await session.ask('one');
    await second;
    expect(requestText(model, 1)).not.toContain('/c');
    expect(requestText(model, 2)).toContain('COMMAND TEXT');
    await session.close();
  });
});
