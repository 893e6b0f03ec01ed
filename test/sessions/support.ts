/** Conversations that the real CLI has held, and the official SDK to read them with. */

import { cp, mkdir, readdir, utimes } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createSdkMcpServer, createSession, type Options, query, tool } from '../../src/index.js';
import {
  blocks,
  type ScriptedRequest,
  type Step,
  scriptedMessagesApi,
  text,
  thinking,
  toolUse,
} from '../../src/testing/index.js';
import { cliPath, type Sandbox, sandbox } from '../support/real-cli.js';

type Functions = Pick<
  typeof import('../../src/index.js'),
  | 'archiveSession'
  | 'deleteSession'
  | 'foldSessionSummary'
  | 'forkSession'
  | 'getSessionInfo'
  | 'getSessionMessages'
  | 'getSubagentMessages'
  | 'importSessionToStore'
  | 'InMemorySessionStore'
  | 'listSessions'
  | 'listSubagents'
  | 'renameSession'
  | 'tagSession'
  | 'unarchiveSession'
>;

const reference = createRequire(new URL('../reference/package.json', import.meta.url));

/** The official functions, by the names and types of ours. */
export async function officialFunctions(): Promise<Functions> {
  const entry = reference.resolve('@anthropic-ai/claude-agent-sdk');
  return (await import(pathToFileURL(entry).href)) as Functions;
}

export interface Conversations {
  box: Sandbox;
  /** Ids by what is in them. */
  ids: Record<
    'plain' | 'titled' | 'parallel' | 'branch' | 'subagents' | 'compacted' | 'command' | 'elsewhere',
    string
  >;
  elsewhere: string;
}

/** One of each kind: two turns, a title, parallel calls, a branch, subagents, a compaction, a command, another directory. */
export async function holdConversations(): Promise<Conversations> {
  const box = sandbox();
  await using api = await scriptedMessagesApi(answer);
  const elsewhere = join(box.cwd, 'elsewhere');
  await mkdir(elsewhere);
  const slow = tool(
    'slow',
    'Waits',
    { type: 'object', properties: { milliseconds: { type: 'number' } } } as const,
    async ({ milliseconds }) => {
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
      return `after ${milliseconds}`;
    },
    { alwaysLoad: true, annotations: { readOnlyHint: true } },
  );
  const base: Options = {
    pathToClaudeCodeExecutable: cliPath,
    cwd: box.cwd,
    env: box.env(api),
    allowedTools: ['mcp__slow'],
    mcpServers: { slow: createSdkMcpServer({ name: 'slow', tools: [slow] }) },
  };
  const say = async (prompts: readonly string[], options: Options = {}): Promise<string> => {
    const session = createSession({ ...base, ...options });
    let id = '';
    for (const prompt of prompts) id = (await session.ask(prompt)).session_id;
    await session.close();
    return id;
  };
  const branch = await Promise.all([
    say(['What is here?\nAnd what is not?', 'And now?']),
    say(['With a title'], { title: 'My own title' }),
    branched(base),
  ]);
  const [plain, titled, branchId] = branch;
  const [parallel, subagents] = await Promise.all([say(['PARALLEL']), say(['MAIN PROMPT'])]);
  const [compacted, command] = await Promise.all([
    say(['One', 'Two', '/compact', 'Three']),
    say(['/context', 'Words after a command'], { permissionMode: 'plan' }),
  ]);
  const other = await say(['In another directory'], { cwd: elsewhere });
  await spreadTimes(box);
  return {
    box,
    elsewhere,
    ids: { plain, titled, parallel, branch: branchId, subagents, compacted, command, elsewhere: other },
  };
}

/** A second between any two, so that there is one order. */
async function spreadTimes({ configDir }: Sandbox): Promise<void> {
  const projects = join(configDir, 'projects');
  const names = await readdir(projects, { recursive: true });
  const transcripts = names.filter((name) => name.split('/').length === 2 && name.endsWith('.jsonl')).sort();
  for (const [index, name] of transcripts.entries()) {
    const time = new Date(Date.now() - index * 1_000);
    await utimes(join(projects, name), time, time);
  }
}

/** A copy of everything the CLI has written, to be changed. */
export async function copyOf({ box }: Conversations, name: string): Promise<string> {
  const target = join(box.home, name);
  await cp(box.configDir, target, { recursive: true, preserveTimestamps: true });
  return target;
}

/** Runs with `directory` as the configuration that all functions look at. */
export async function within<Result>(directory: string, run: () => Promise<Result>): Promise<Result> {
  const before = process.env.CLAUDE_CONFIG_DIR;
  process.env.CLAUDE_CONFIG_DIR = directory;
  try {
    return await run();
  } finally {
    if (before === undefined) delete process.env.CLAUDE_CONFIG_DIR;
    else process.env.CLAUDE_CONFIG_DIR = before;
  }
}

async function branched(options: Options): Promise<string> {
  let id = '';
  let firstAnswer = '';
  for await (const message of query({ prompt: 'First', options })) {
    if (message.type === 'assistant') firstAnswer = message.uuid;
    if (message.type === 'result') id = message.session_id;
  }
  for await (const _ of query({ prompt: 'Second', options: { ...options, resume: id } }));
  const back = { ...options, resume: id, resumeSessionAt: firstAnswer };
  for await (const _ of query({ prompt: 'Third, in place of the second', options: back }));
  return id;
}

function answer({ body, toolResults }: ScriptedRequest): Step {
  const said = JSON.stringify(body.messages);
  const has = (words: string): boolean => said.includes(words);
  const agent = (prompt: string): Step =>
    toolUse('Agent', {
      description: prompt,
      prompt,
      subagent_type: 'general-purpose',
      run_in_background: false,
    });
  if (has('PARALLEL')) {
    if (toolResults.length > 0) return text('All came back.');
    const calls = [60, 1, 20].map((milliseconds) => toolUse('mcp__slow__slow', { milliseconds }));
    return blocks([thinking('Hm.'), text('Let me see.'), ...calls]);
  }
  if (has('INNER HELP') && !has('OUTER HELP')) return text('The inner helper is done.');
  if (has('OUTER HELP') && !has('MAIN PROMPT')) {
    return toolResults.length > 0 ? text('The outer helper is done.') : agent('INNER HELP');
  }
  if (has('MAIN PROMPT')) return toolResults.length > 0 ? text('Done.') : agent('OUTER HELP');
  return text(`An answer to ${body.messages.length} messages.`);
}
