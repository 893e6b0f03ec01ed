/** Runs one scenario in one cell of the matrix. */
import type { Options, Query, SDKMessage, SDKUserMessage } from '../../../src/index.js';
import { scriptedMessagesApi } from '../../../src/testing/index.js';
import { PATIENCE_MS } from '../../support/patience.js';
import { sandbox } from '../../support/real-cli.js';
import { tenon } from './cells.js';
import { Journal } from './journal.js';
import { RecordedProcess } from './recorded-process.js';
import { says } from './says.js';
import type { Call, Cell, Context, Outcome, Scenario, Sdk, Thrown } from './scenario.js';

export async function runScenario(scenario: Scenario, cell: Cell): Promise<Outcome> {
  const sdk = await cell.client.load();
  await using box = sandbox();
  await using api = await scriptedMessagesApi(scenario.script, scenario.api);
  const child = new RecordedProcess();
  const cleanUps: (() => unknown)[] = [];
  const context = {
    sdk,
    box,
    api,
    abortController: new AbortController(),
    messages: new Journal<SDKMessage>(),
    calls: new Journal<Call>(),
    note: (name: string, input: unknown = null) => context.calls.add({ name, input }),
    earlierSession: '',
    earlierMessages: [] as SDKMessage[],
    child,
    defer: (cleanUp: () => unknown) => void cleanUps.unshift(cleanUp),
  } satisfies Context;
  try {
    const given = box.env(api, scenario.env);
    const runtime = cell.agent.embed?.(api, given);
    const base: Options = {
      pathToClaudeCodeExecutable: cell.agent.executable,
      ...(runtime === undefined ? {} : { runtime }),
      cwd: box.cwd,
      env: given,
      abortController: context.abortController,
      // Tenon's own: on a busy machine an idle CLI may need longer to leave, and a signal would change its exit code.
      closeGraceMs: PATIENCE_MS,
    };
    if (scenario.earlier !== undefined) {
      context.earlierMessages = await before(scenario.earlier, context, base);
      context.earlierSession = context.earlierMessages.at(-1)?.session_id ?? '';
    }
    const servers = await scenario.servers?.(context);
    const options: Options = {
      ...base,
      ...(servers === undefined ? {} : { mcpServers: servers }),
      ...(scenario.unseen ? {} : cell.client === tenon ? child.watched() : child.tapped()),
      ...scenario.options?.(context),
    };
    const { error, driven, query } = await converse(scenario, context, options);
    // An agent in this process leaves no exit code but the one that its client tells.
    const exit = (runtime === undefined ? undefined : await query?.exited) ?? (await child.exited());
    return {
      cell,
      messages: context.messages.entries,
      error,
      argv: child.argv,
      env: added(child.env, given),
      stdin: child.stdin,
      stdout: child.stdout,
      stderr: child.stderr,
      requests: api.requests,
      calls: context.calls.entries,
      driven,
      exit,
      aliases: [
        // The CLI names folders of a project after the path, with dashes.
        [box.cwd.replace(/[^a-zA-Z0-9]/g, '-'), '<cwd-with-dashes>'],
        [box.cwd, '<cwd>'],
        [box.configDir, '<config>'],
        [box.home, '<home>'],
        [box.cwd.replace(/\/work$/, ''), '<sandbox>'],
        [api.url, '<api>'],
        [cell.agent.executable, '<agent>'],
      ],
    };
  } finally {
    for (const cleanUp of cleanUps) await cleanUp();
  }
}

async function before(
  { prompt, options }: NonNullable<Scenario['earlier']>,
  context: Context,
  base: Options,
): Promise<SDKMessage[]> {
  const messages = new Journal<SDKMessage>();
  const query = context.sdk.query({
    prompt: typeof prompt === 'string' ? prompt : oneByOne(prompt, messages),
    options: { ...base, ...options?.(context), abortController: new AbortController() },
  });
  for await (const message of query) messages.add(message);
  return [...messages.entries];
}

async function* oneByOne(
  prompts: readonly string[],
  messages: Journal<SDKMessage>,
): AsyncGenerator<SDKUserMessage> {
  for (const [index, prompt] of prompts.entries()) {
    yield says(prompt);
    await messages.waitFor(({ type }) => type === 'result', `result ${index + 1}`, index + 1);
  }
}

async function converse(
  scenario: Scenario,
  context: Context,
  options: Options,
): Promise<{ error: Thrown | undefined; driven: unknown; query: Query | undefined }> {
  const { prompt = 'go' } = scenario;
  let query: Query;
  try {
    query = context.sdk.query({ prompt: typeof prompt === 'string' ? prompt : prompt(context), options });
  } catch (error) {
    return { error: { ...thrown(error, context.sdk), atOnce: true }, driven: undefined, query: undefined };
  }
  const driving = scenario.drive?.(query, context);
  // The loop may end first; then this is looked at below.
  driving?.catch(() => {});
  let error: Thrown | undefined;
  try {
    for await (const message of query) {
      context.messages.add(message);
      if (scenario.leaveAfter?.(message)) break;
    }
  } catch (caught) {
    error = thrown(caught, context.sdk);
  }
  return { error, driven: await driving, query };
}

/** What a person sees of an error. The stack is left out: it would quote the source of the official SDK. */
function thrown(error: unknown, sdk?: Sdk): Thrown {
  if (!(error instanceof Error)) return { name: typeof error, message: String(error) };
  return {
    name: error.name,
    message: error.message,
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
    ...(sdk !== undefined && error instanceof sdk.AbortError ? { aborted: true } : {}),
  };
}

/** Runs a step of `drive` that may fail, and gives what a person sees of it. */
export async function outcomeOf(step: Promise<unknown>): Promise<unknown> {
  try {
    return { value: (await step) ?? null };
  } catch (error) {
    return { threw: thrown(error) };
  }
}

function added(env: Record<string, string>, given: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => given[name] !== value));
}
