/** Subagents of the embedded runtime, where the matrix cannot look: what is offered, counted, shared and left behind. */
import { describe, expect, it } from 'vitest';
import {
  createSession,
  getSubagentMessages,
  InMemorySessionStore,
  listSubagents,
  type Options,
  query,
} from '../../../src/index.js';
import { embedded } from '../../../src/runtime/index.js';
import { scriptedModel, text, toolUse } from '../../../src/testing/index.js';
import { memoryWorkspace } from '../../../src/workspace/index.js';
import { agentCall, agentCalls, HELPER, plays } from '../../matrix/support/agents.js';
import { type Loose, run, server } from '../support.js';

const agents = { helper: HELPER };
const ALLOWED = { allowedTools: ['mcp__s__*'] };

/** One prompt to its end, played by the agents that are called. */
async function play(
  parts: Parameters<typeof plays>[0],
  options: Options = {},
  config: Parameters<typeof run>[2] = {},
) {
  const model = scriptedModel(plays(parts));
  const runtime = embedded({ model, ...config });
  const answer = query({
    prompt: 'MAIN PROMPT',
    options: { throwOnErrorResult: false, ...options, runtime },
  });
  const messages: Loose[] = [];
  for await (const message of answer) messages.push(message as unknown as Loose);
  return { model, result: messages.findLast(({ type }) => type === 'result') as Loose };
}

const requestsOf = ({ model }: Awaited<ReturnType<typeof play>>, task: string) =>
  model.requests.filter(({ messages }) => JSON.stringify(messages[0]).includes(task));

const toolsOf = (request: { tools: readonly { name: string }[] } | undefined): string[] =>
  (request?.tools ?? []).map(({ name }) => name);

describe('the tool Agent', () => {
  it.each<[string, Options, boolean]>([
    ['nothing is said of agents', {}, false],
    ['agents are given', { agents }, true],
    ['a rule names it', { allowedTools: ['Agent'] }, true],
    ['a rule names it as it was called before', { allowedTools: ['Task'] }, true],
    ['the tools name it', { tools: ['Task'] }, true],
    ['agents are given, and it is forbidden', { agents, disallowedTools: ['Task'] }, false],
    ['agents are given, and other tools', { agents, tools: [] }, false],
  ])('R52: is offered or not when %s', async (_, options, isOffered) => {
    const { model, messages } = await run(['Hello.'], options);
    expect(toolsOf(model.requests[0]).includes('Agent')).toBe(isOffered);
    const init = messages.find(({ subtype }) => subtype === 'init');
    expect((init as Loose & { tools: string[] }).tools.includes('Task')).toBe(isOffered);
  });

  it('R52: is there with a workspace, and knows the agents of its files', async () => {
    const workspace = memoryWorkspace({
      '.claude/agents/filed.md': '---\nname: filed\ndescription: Reads files\n---\nYou read.',
    });
    const { model } = await run(
      ['Hello.'],
      { cwd: '/workspace', settingSources: ['project'] },
      { workspace },
    );
    const agent = model.requests[0]?.tools.find(({ name }) => name === 'Agent');
    expect(agent?.description).toContain('- filed: Reads files');
    expect(agent?.description).toContain('- general-purpose: ');
  });

  it('R52: `Agent(a)` among the tools of an agent lets it call nobody else', async () => {
    const played = await play(
      {
        'MAIN PROMPT': [agentCall('TASK ONE', { subagent_type: 'boss' }), text('done')],
        'TASK ONE': [agentCall('TASK TWO'), agentCall('TASK TWO', { subagent_type: 'boss' }), text('one')],
        'TASK TWO': [text('two')],
      },
      { agents: { helper: HELPER, boss: { ...HELPER, tools: ['Agent(helper)'] } } },
    );
    const [, , third] = requestsOf(played, 'TASK ONE');
    expect(requestsOf(played, 'TASK TWO')).toHaveLength(1);
    expect(JSON.stringify(third?.messages.at(-1))).toContain(
      'There is no agent \\"boss\\". The agents are: helper.',
    );
  });
});

describe('what subagents use', () => {
  it('R52: counts for the conversation by model, but not for the turn', async () => {
    const played = await play(
      { 'MAIN PROMPT': [agentCall('TASK ONE'), text('done')], 'TASK ONE': [text('one')] },
      { agents: { helper: { ...HELPER, model: 'other-model' } } },
    );
    const { usage, modelUsage } = played.result as unknown as {
      usage: { input_tokens: number };
      modelUsage: Record<string, { inputTokens: number }>;
    };
    const main = modelUsage['scripted-model']?.inputTokens ?? 0;
    expect(usage.input_tokens).toBe(main);
    expect(Object.values(modelUsage).reduce((sum, { inputTokens }) => sum + inputTokens, 0)).toBeGreaterThan(
      main,
    );
  });

  it('R52: counts for the budget', async () => {
    const played = await play(
      {
        'MAIN PROMPT': [agentCall('TASK ONE'), text('never said')],
        'TASK ONE': [toolUse('mcp__s__look', {}), text('one')],
      },
      { agents, ...ALLOWED, maxBudgetUsd: 0.5, mcpServers: { s: server({ look: () => 'seen' }) } },
      { prices: { 'scripted-model': { input: 0, output: 20_000 } } },
    );
    expect(played.result.subtype).toBe('error_max_budget_usd');
  });
});

describe('subagents and servers', () => {
  it('R52, pain 36: several agents call one in-process server, over one connection', async () => {
    let connections = 0;
    let calls = 0;
    const called = (): string => {
      calls += 1;
      return `call ${calls}`;
    };
    const frames: Loose[] = [];
    const played = await play(
      {
        'MAIN PROMPT': [agentCalls('TASK ONE', 'TASK TWO'), toolUse('mcp__s__look', {}), text('done')],
        'TASK ONE': [toolUse('mcp__s__look', {}), text('one')],
        'TASK TWO': [toolUse('mcp__s__look', {}), text('two')],
      },
      {
        agents,
        ...ALLOWED,
        mcpServers: { s: server({ look: () => called() }) },
        onFrame: (frame) => void frames.push(frame as unknown as Loose),
      },
    );
    for (const frame of frames) if (JSON.stringify(frame).includes('"method":"initialize"')) connections += 1;
    expect(played.result.subtype).toBe('success');
    expect(calls).toBe(3);
    expect(connections).toBeLessThanOrEqual(1);
  });

  it('R52: a tool of a server that the definition takes away is not there', async () => {
    const played = await play(
      {
        'MAIN PROMPT': [agentCall('TASK ONE'), text('done')],
        'TASK ONE': [toolUse('mcp__s__look', {}), text('one')],
      },
      {
        agents: { helper: { ...HELPER, disallowedTools: ['mcp__s__*'] } },
        ...ALLOWED,
        mcpServers: {
          s: server({
            look: () => {
              throw new Error('must not be called');
            },
          }),
        },
      },
    );
    expect(toolsOf(requestsOf(played, 'TASK ONE')[0])).toEqual(['Agent']);
    expect(played.result.permission_denials).toEqual([]);
  });
});

describe('the end', () => {
  it('R52: a conversation that is closed leaves no agent in the background behind', async () => {
    let wasCut = false;
    let begin: () => void = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const look = (_: object, { signal }: { signal: AbortSignal }) =>
      new Promise((resolve) => {
        begin();
        signal.addEventListener('abort', () => {
          wasCut = true;
          resolve('cut');
        });
      });
    const model = scriptedModel(
      plays({
        'MAIN PROMPT': [agentCall('TASK ONE', { run_in_background: true }), text('launched')],
        'TASK ONE': [toolUse('mcp__s__look', {}), text('never said')],
      }),
    );
    const session = createSession({
      runtime: embedded({ model }),
      agents,
      ...ALLOWED,
      mcpServers: { s: server({ look }) },
    });
    void session.ask('MAIN PROMPT').catch(() => {});
    await begun;
    await session.close();
    await expect.poll(() => wasCut).toBe(true);
    expect(model.requests).toHaveLength(3);
  });

  it('R52: what a nested agent in the background tells is heard by whoever is left', async () => {
    const played = await play(
      {
        'MAIN PROMPT': [agentCall('TASK ONE'), text('first'), text('heard')],
        'TASK ONE': [agentCall('TASK TWO', { run_in_background: true }), text('one')],
        'TASK TWO': [text('two words')],
      },
      { agents },
    );
    const told = JSON.stringify(played.model.requests.map(({ messages }) => messages));
    expect(told).toContain('<result>two words</result>');
  });
});

describe('what is kept', () => {
  it('R52: the transcripts of subagents are found beside that of the conversation', async () => {
    const sessionStore = new InMemorySessionStore();
    const played = await play(
      { 'MAIN PROMPT': [agentCall('TASK ONE'), text('done')], 'TASK ONE': [text('one')] },
      { agents, sessionStore },
    );
    const sessionId = String(played.result.session_id);
    const [id = ''] = await listSubagents(sessionId, { sessionStore });
    const messages = await getSubagentMessages(sessionId, id, { sessionStore });
    expect(messages.map(({ type }) => type)).toEqual(['user', 'assistant']);
    expect(JSON.stringify(messages)).toContain('TASK ONE');
  });

  it('R52: nothing of a subagent is in the conversation that is resumed', async () => {
    const sessionStore = new InMemorySessionStore();
    const played = await play(
      { 'MAIN PROMPT': [agentCall('TASK ONE'), text('done')], 'TASK ONE': [text('one')] },
      { agents, sessionStore },
    );
    const again = await run(['Hello.'], { sessionStore, resume: String(played.result.session_id) });
    expect(again.model.requests[0]?.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ]);
  });
});

describe('definitions', () => {
  it('R52: skills stand in the first message, and memory only if it is wanted', async () => {
    const config = {
      skills: { greet: { description: 'd', content: 'Say hello first.' } },
      memory: 'Mind the gap.',
    };
    const parts = {
      'MAIN PROMPT': [agentCall('TASK ONE'), agentCall('TASK TWO', { subagent_type: 'apart' }), text('done')],
      'TASK ONE': [text('one')],
      'TASK TWO': [text('two')],
    };
    const definitions = {
      helper: { ...HELPER, skills: ['greet'] },
      apart: { ...HELPER, omitClaudeMd: true },
    };
    const played = await play(parts, { agents: definitions }, config);
    const [first] = requestsOf(played, 'TASK ONE');
    const [second] = requestsOf(played, 'TASK TWO');
    expect(JSON.stringify(first?.messages[0])).toContain('Say hello first.');
    expect(JSON.stringify(first?.messages[0])).toContain('Mind the gap.');
    expect(JSON.stringify(second?.messages[0])).not.toContain('Mind the gap.');
  });

  it('R52: a mode that allows more does not in a conversation that asks nobody', async () => {
    let calls = 0;
    const called = (): string => {
      calls += 1;
      return 'seen';
    };
    const played = await play(
      {
        'MAIN PROMPT': [agentCall('TASK ONE'), text('done')],
        'TASK ONE': [toolUse('mcp__s__look', {}), text('one')],
      },
      {
        agents: { helper: { ...HELPER, permissionMode: 'bypassPermissions' } },
        permissionMode: 'dontAsk',
        mcpServers: { s: server({ look: () => called() }) },
      },
    );
    expect(calls).toBe(0);
    expect(played.result.permission_denials).toHaveLength(1);
  });

  it.each(['Task', 'Agent'])(
    'R52: an agent that leads has its tools told in its own order: %s',
    async (name) => {
      const workspace = memoryWorkspace({});
      const tools = ['Write', name, 'Read'];
      const leader = { description: 'd', prompt: 'You lead.', tools };
      const { messages } = await run(['Hello.'], { agent: 'leader', agents: { leader } }, { workspace });
      const init = messages.find(({ subtype }) => subtype === 'init');
      expect(init?.tools).toEqual(['Write', 'Task', 'Read']);
    },
  );

  it('R52: an agent that leads and does not exist ends the conversation', async () => {
    const { error, model } = await run(['Hello.'], { agent: 'nobody' });
    expect(error).toMatchObject({ code: 'AGENT_NOT_FOUND' });
    expect(model.requests).toEqual([]);
  });
});
