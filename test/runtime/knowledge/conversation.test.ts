/** What an agent knows, in conversations: as values, from a workspace, typed, and asked for by the model. */
import { describe, expect, it } from 'vitest';
import { query } from '../../../src/index.js';
import type { RuntimeConfig } from '../../../src/runtime/index.js';
import { embedded as embeddedOnTheEdge } from '../../../src/runtime/portable.js';
import { scriptedModel } from '../../../src/testing/index.js';
import { kinds, type Loose, run, talk } from '../support.js';
import { box, onDisk, requestText, shell } from './boxes.js';
import { treeWorkspace } from './support.js';

const VALUES = {
  skills: { greet: { description: 'How to greet', content: 'Say hello to $ARGUMENTS' } },
  commands: { sum: { content: (args: string) => `The sum of ${args.split(' ').join(' and ')}` } },
  memory: ['BE KIND', { name: 'house-rules', content: 'NO SHOES' }],
} satisfies Partial<RuntimeConfig>;

describe('knowledge as values', () => {
  it('R53: is announced, in the request, and can be loaded by the model', async () => {
    const { model, messages, result } = await run(
      [{ toolUses: [{ name: 'Skill', input: { skill: 'greet', args: 'Bob' } }] }, 'Done.'],
      {},
      VALUES,
    );
    expect(messages[0]).toMatchObject({
      tools: ['Skill'],
      skills: ['greet'],
      slash_commands: ['greet', 'sum', 'clear', 'compact'],
    });
    expect(requestText(model)).toMatch(/greet: How to greet/);
    expect(requestText(model)).toMatch(/BE KIND.*NO SHOES/s);
    expect(messages.find(({ isSynthetic }) => isSynthetic)).toMatchObject({
      message: { content: [{ text: 'Say hello to Bob' }] },
    });
    expect(result).toMatchObject({ num_turns: 3 });
  });

  it('R53: can be typed; a text of a function too', async () => {
    const { model, session } = talk(['one', 'two'], {}, VALUES);
    await session.ask('/sum 1 2');
    await session.ask('/unknown 1');
    expect(requestText(model)).toContain('The sum of 1 and 2');
    expect(requestText(model)).toContain('<command-name>/sum</command-name>');
    expect(requestText(model, 1)).toContain('/unknown 1');
    await session.close();
  });

  it('R53: works on the edge, with a workspace that is no folder', async () => {
    const model = scriptedModel(['Hello.']);
    const workspace = treeWorkspace({
      '/work/CLAUDE.md': 'PROJECT WORDS',
      '/work/.claude/skills/tree/SKILL.md': '---\ndescription: Of a tree\n---\nTREE',
    });
    const runtime = embeddedOnTheEdge({ model, ...VALUES, workspace });
    const messages: Loose[] = [];
    for await (const message of query({ prompt: 'Go.', options: { runtime, cwd: '/work' } })) {
      messages.push(message as unknown as Loose);
    }
    expect(messages[0]).toMatchObject({ skills: ['greet', 'tree'] });
    expect(requestText(model)).toMatch(/PROJECT WORDS.*BE KIND/s);
  });

  it('R53: nothing is added to a request without values and without a workspace', async () => {
    const { options } = box({ 'work/CLAUDE.md': 'PROJECT WORDS' });
    const { model, messages } = await run(['Hello.'], options);
    expect(model.requests[0]?.body).toMatchObject({ tools: [], system: [] });
    expect(requestText(model)).not.toContain('PROJECT WORDS');
    expect(messages[0]).toMatchObject({ slash_commands: ['clear', 'compact'], skills: [] });
  });
});

describe('skills of files', () => {
  it('R53: two in one answer: each text follows its result, and the model reads both after the results', async () => {
    const { options } = box({
      'work/.claude/skills/a/SKILL.md': 'TEXT A',
      'work/.claude/skills/b/SKILL.md': 'TEXT B',
    });
    const { messages, model } = await run(
      [{ toolUses: ['a', 'b'].map((skill) => ({ name: 'Skill', input: { skill } })) }, 'Done.'],
      options,
      onDisk,
    );
    const lines = messages.filter(({ type }) => type === 'user').map((line) => JSON.stringify(line.message));
    expect(lines.map((line) => /TEXT .|tool_result/.exec(line)?.[0])).toEqual([
      'tool_result',
      'TEXT A',
      'tool_result',
      'TEXT B',
    ]);
    const blocks = model.requests[1]?.messages.at(-1)?.content as { type: string }[];
    expect(blocks.map(({ type }) => type)).toEqual(['tool_result', 'tool_result', 'text', 'text']);
  });

  it('R71: a skill that asks for rights is a question, and gives them for one turn', async () => {
    const { options } = box({
      'work/.claude/skills/mighty/SKILL.md': '---\nallowed-tools: Bash(touch:*)\n---\nMIGHTY',
    });
    const { config, commands } = shell();
    const asked: string[] = [];
    const { session } = talk(
      [
        { toolUses: [{ name: 'Skill', input: { skill: 'mighty' } }] },
        { toolUses: [{ name: 'Bash', input: { command: 'touch a' } }] },
        'One.',
        { toolUses: [{ name: 'Bash', input: { command: 'touch b' } }] },
        'Two.',
      ],
      {
        ...options,
        canUseTool: async (name, input, { suggestions }) => {
          asked.push(
            `${name} ${JSON.stringify(suggestions?.map((each) => ('rules' in each ? each.rules : [])))}`,
          );
          return name === 'Skill'
            ? { behavior: 'allow', updatedInput: input }
            : { behavior: 'deny', message: 'no' };
        },
      },
      config,
    );
    await session.ask('one');
    await session.ask('two');
    await session.close();
    expect(commands).toEqual(['touch a']);
    expect(asked).toHaveLength(2);
    expect(asked[0]).toContain('"ruleContent":"mighty"');
    expect(asked[1]).toMatch(/^Bash/);
  });

  it('R53: with hooks in its head cannot be used', async () => {
    const { options } = box({
      'work/.claude/skills/h/SKILL.md': '---\nhooks:\n  PreToolUse: []\n---\nTEXT',
    });
    const { messages } = await run(
      [{ toolUses: [{ name: 'Skill', input: { skill: 'h' } }] }, 'Done.'],
      {
        ...options,
        allowedTools: ['Skill(h)'],
      },
      onDisk,
    );
    expect(JSON.stringify(messages)).toContain('which the runtime cannot run');
  });

  it('R53: that the host has not chosen are neither listed nor loaded', async () => {
    const { options } = box({
      'work/.claude/skills/a/SKILL.md': '---\ndescription: First one\n---\nA',
      'work/.claude/skills/b/SKILL.md': '---\ndescription: Second one\n---\nB',
    });
    const { model, messages } = await run(
      [{ toolUses: [{ name: 'Skill', input: { skill: 'b' } }] }, 'Done.'],
      { ...options, skills: ['a'] },
      onDisk,
    );
    expect(requestText(model)).toContain('First one');
    expect(requestText(model)).not.toContain('Second one');
    expect(JSON.stringify(messages)).toContain('is not among those');
  });
});

describe('/clear', () => {
  it('R53: begins a session of its own, in which nothing was said and nothing was spent', async () => {
    const { options } = box({ 'work/CLAUDE.md': 'PROJECT WORDS' });
    const prices = { '*': { input: 1, output: 1 } };
    const { model, session } = talk(['One.', 'Two.'], options, { ...onDisk, prices });
    const first = await session.ask('first words');
    const cleared = (await session.ask('/clear')) as unknown as Loose;
    const second = await session.ask('second words');
    expect(cleared).toMatchObject({
      num_turns: 0,
      result: '',
      local_command: 'clear',
      usage: { input_tokens: 0 },
    });
    expect(cleared.session_id).not.toBe(first.session_id);
    expect(second.session_id).toBe(cleared.session_id);
    expect(requestText(model, 1)).not.toContain('first words');
    expect(requestText(model, 1)).toContain('PROJECT WORDS');
    await session.close();
  });

  it('R16: does not give a budget back', async () => {
    const model = scriptedModel([
      { text: 'One.', usage: { input_tokens: 1_000_000, output_tokens: 0 } } as never,
      'Two.',
    ]);
    const prices = { [model.name]: { input: 1, output: 1 } };
    const messages: Loose[] = [];
    const { embedded } = await import('../../../src/runtime/index.js');
    async function* prompts() {
      for (const content of ['one', '/clear', 'two']) {
        yield {
          type: 'user' as const,
          message: { role: 'user' as const, content },
          parent_tool_use_id: null,
        };
      }
    }
    const options = { runtime: embedded({ model, prices }), maxBudgetUsd: 0.5, throwOnErrorResult: false };
    for await (const message of query({ prompt: prompts(), options }))
      messages.push(message as unknown as Loose);
    expect(kinds(messages).filter((kind) => kind.startsWith('result'))).toEqual([
      'result/error_max_budget_usd',
      'result/success',
      'result/error_max_budget_usd',
    ]);
  });
});
