/** Calls that a hook has deferred, taken up when their conversation is resumed; on the CLI and on the runtime (R64). */
import { describe, expect, it } from 'vitest';
import { InMemorySessionStore, type Options } from '../../../src/index.js';
import { type Script, type ScriptedRequest, text, toolUse, toolUses } from '../../../src/testing/index.js';
import { BACK_ENDS, type BackEnd } from '../../support/back-ends.js';
import { always, ask, type Decide, lastRead, talk, write } from './deferring.js';

describe.each(BACK_ENDS)('on $name, a call that a hook has deferred', (backEnd: BackEnd) => {
  const sessionStore = (): Pick<Options, 'sessionStore'> =>
    backEnd.isCli ? {} : { sessionStore: new InMemorySessionStore() };

  async function deferred(script: Script, decide: Decide = always('defer')) {
    const running = await backEnd.start(script);
    const store = sessionStore();
    const first = await ask(running, 'One', decide, store);
    const resume = first.results[0]?.session_id ?? '';
    return { running, first, store, again: { ...store, resume } };
  }

  it('ends the turn, whose result names it, and has not run', async () => {
    const { running, first } = await deferred([write]);
    await using _running = running;
    expect(first.happened).toEqual(['defer: toolu_write']);
    expect(first.results).toMatchObject([
      {
        subtype: 'success',
        is_error: false,
        result: '',
        stop_reason: 'tool_deferred',
        terminal_reason: 'tool_deferred',
        deferred_tool_use: { id: 'toolu_write', name: 'mcp__s__write', input: { x: 1 } },
      },
    ]);
  });

  it.each([
    ['a prompt', 'Two', ['toolu_write: Result of write.', 'Two']],
    ['an empty prompt', '', ['toolu_write: Result of write.']],
  ])(
    'is tried again when the conversation is resumed with %s: the hook is asked again',
    async (_, prompt, read) => {
      const { running, again } = await deferred([write, text('After.')]);
      await using _running = running;
      const second = await ask(running, prompt, always(undefined), again);
      expect(second.happened).toEqual(['no objection: toolu_write', 'write']);
      expect(second.results).toMatchObject([{ subtype: 'success', result: 'After.' }]);
      expect(lastRead(running.player.requests)).toEqual(read);
      expect(second.unavailable).toBe(backEnd.isCli ? 1 : 0);
    },
  );

  it('can be denied, and the model is told', async () => {
    const { running, again } = await deferred([write, text('After.')]);
    await using _running = running;
    const second = await ask(running, '', always('deny'), again);
    expect(second.happened).toEqual(['deny: toolu_write']);
    expect(lastRead(running.player.requests)).toEqual([
      expect.stringContaining('toolu_write: PreToolUse:mcp__s__write hook error'),
    ]);
  });

  it('can be asked about, with another input', async () => {
    const { running, again } = await deferred([write, text('After.')]);
    await using _running = running;
    const asked: unknown[] = [];
    const second = await ask(running, '', always('ask'), {
      ...again,
      canUseTool: async (name, input) => {
        asked.push([name, input]);
        return { behavior: 'allow', updatedInput: input };
      },
    });
    expect(asked).toEqual([['mcp__s__write', { x: 1 }]]);
    expect(second.happened).toEqual(['ask: toolu_write', 'write']);
  });

  it('can be deferred again, and still be taken up; the prompt in between is not read', async () => {
    const { running, again } = await deferred([write, text('After.')]);
    await using _running = running;
    const second = await ask(running, 'Two', always('defer'), again);
    expect(second.results).toMatchObject([
      { stop_reason: 'tool_deferred', deferred_tool_use: { id: 'toolu_write' } },
    ]);
    if (!backEnd.isCli) expect(JSON.stringify(second.messages)).toContain('The prompt was not read');
    const third = await ask(running, 'Three', always('allow'), again);
    expect(third.happened).toEqual(['allow: toolu_write', 'write']);
    expect(lastRead(running.player.requests)).toEqual(['toolu_write: Result of write.', 'Three']);
  });

  it('does not hold up the other calls of its answer', async () => {
    const { running, first, again } = await deferred(
      [
        toolUses([
          { name: 'mcp__s__write', id: 'toolu_1' },
          { name: 'mcp__s__read', id: 'toolu_2' },
        ]),
        text('After.'),
      ],
      (name) => (name === 'write' ? 'defer' : undefined),
    );
    await using _running = running;
    expect(first.happened).toEqual(['defer: toolu_1', 'no objection: toolu_2', 'read']);
    const second = await ask(running, 'Two', always('allow'), again);
    expect(second.happened).toEqual(['allow: toolu_1', 'write']);
    const read = lastRead(running.player.requests);
    expect(read.toSorted()).toEqual(['Two', 'toolu_1: Result of write.', 'toolu_2: Result of read.']);
  });

  it('is one of several: the result names the last; the CLI takes up only that one, the runtime all', async () => {
    const { running, first, again } = await deferred([
      toolUses([
        { name: 'mcp__s__write', id: 'toolu_1' },
        { name: 'mcp__s__send', id: 'toolu_2' },
      ]),
      text('After.'),
    ]);
    await using _running = running;
    expect(first.results).toMatchObject([{ deferred_tool_use: { id: 'toolu_2' } }]);
    const second = await ask(running, 'Two', always('allow'), again);
    expect(second.happened).toEqual(
      backEnd.isCli ? ['allow: toolu_2', 'send'] : ['allow: toolu_1', 'write', 'allow: toolu_2', 'send'],
    );
  });

  it('is taken up by a fork, too', async () => {
    const { running, again } = await deferred([write, text('After.')]);
    await using _running = running;
    const second = await ask(running, 'Two', always('allow'), { ...again, forkSession: true });
    expect(second.happened).toEqual(['allow: toolu_write', 'write']);
  });

  it('is not tried again once the conversation has gone on without it', async () => {
    const running = await backEnd.start([write, text('Next.'), text('After.')]);
    await using _running = running;
    const store = sessionStore();
    const { results } = await talk(running, ['One', 'Two'], always('defer'), store);
    expect(results).toMatchObject([{ terminal_reason: 'tool_deferred' }, { result: 'Next.' }]);
    const resume = results[0]?.session_id ?? '';
    const again = await ask(running, 'Three', always('allow'), { ...store, resume });
    expect(again.happened).toEqual([]);
    expect(again.results).toMatchObject([{ result: 'After.' }]);
  });

  it('ends a subagent without words if it is one of its calls, and is not taken up', async () => {
    const running = await backEnd.start(({ messages }: ScriptedRequest) => {
      const said = JSON.stringify(messages);
      if (!JSON.stringify(messages[0]).includes('One')) return write;
      if (said.includes('"tool_use"')) return text('Main done.');
      const input = { description: 'd', prompt: 'Help', subagent_type: 'helper', run_in_background: false };
      return toolUse('Agent', input);
    });
    await using _running = running;
    const agents = { helper: { description: 'Helps', prompt: 'You help.' } };
    const store = sessionStore();
    const first = await ask(running, 'One', always('defer'), { ...store, agents });
    expect(first.happened).toEqual(['defer: toolu_write']);
    expect(first.results).toMatchObject([{ result: 'Main done.', terminal_reason: 'completed' }]);
    const resume = first.results[0]?.session_id ?? '';
    const second = await ask(running, 'Two', always('allow'), { ...store, agents, resume });
    expect(second.happened).toEqual([]);
  });
});

describe('a call that was deferred on one back end', () => {
  it.each([
    ['Claude Code', 'the embedded runtime'],
    ['the embedded runtime', 'Claude Code'],
  ])('and is taken up on the other: from %s to %s', async (from, to) => {
    const backEndOf = (name: string) => BACK_ENDS.find((each) => each.name === name) as BackEnd;
    await using first = await backEndOf(from).start([write]);
    await using second = await backEndOf(to).start([text('After.')], first.box);
    const sessionStore = new InMemorySessionStore();
    const { results } = await ask(first, 'One', always('defer'), { sessionStore });
    const resume = results[0]?.session_id ?? '';
    const seen = await ask(second, 'Two', always('allow'), { sessionStore, resume });
    expect(seen.happened).toEqual(['allow: toolu_write', 'write']);
    expect(lastRead(second.player.requests)).toEqual(['toolu_write: Result of write.', 'Two']);
  });
});
