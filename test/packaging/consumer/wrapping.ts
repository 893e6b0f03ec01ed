// A program for the official SDK that collects tools in a list and wraps callbacks that somebody else wrote.
import {
  type CanUseTool,
  createSdkMcpServer,
  type HookCallback,
  type HookCallbackMatcher,
  type OnElicitation,
  type OnUserDialog,
  type Options,
  type PermissionResult,
  tool,
} from '@anthropic-ai/claude-agent-sdk';

type ServerOptions = Parameters<typeof createSdkMcpServer>[0];

const tools: NonNullable<ServerOptions['tools']> = [];
tools.push(tool('now', 'Tells the time', {}, async () => ({ content: [{ type: 'text', text: '12:00' }] })));
export const server = createSdkMcpServer({ name: 'collected', tools });

export const timed =
  (ask: CanUseTool): CanUseTool =>
  (name, input, context) =>
    ask(name, input, context).finally(() => console.log(name));

export async function isAllowed(options: Options): Promise<boolean> {
  const context = { signal: new AbortController().signal, toolUseID: 'a', requestId: 'b' };
  const decision: Promise<PermissionResult | null> | undefined = options.canUseTool?.('Read', {}, context);
  return (await decision)?.behavior === 'allow';
}

const quiet =
  (hook: HookCallback): HookCallback =>
  (input, id, context) =>
    hook(input, id, context).catch(() => ({}));

export const quietly = (matcher: HookCallbackMatcher): HookCallbackMatcher => ({
  ...matcher,
  hooks: matcher.hooks.map(quiet),
});

export const logged =
  (answer: OnElicitation): OnElicitation =>
  (request, context) =>
    answer(request, context).then((result) => result);

export const dismissed =
  (answer: OnUserDialog): OnUserDialog =>
  (request, context) =>
    answer(request, context).catch(() => ({ behavior: 'cancelled' }));
