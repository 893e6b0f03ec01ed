/** Hosts on the embedded runtime, with a scripted model and a tool that has an effect. */
import {
  createHost,
  type Host,
  type HostEvent,
  type HostMessage,
  type HostOptions,
  type HostStorage,
  memoryStorage,
} from '../../../src/host/index.js';
import { createSdkMcpServer, type Options, type ToolContext, tool } from '../../../src/index.js';
import { embedded } from '../../../src/runtime/index.js';
import { type Script, type ScriptedModel, scriptedModel } from '../../../src/testing/index.js';

export const REF = { tenant: 'acme', session: 'user-7' };

type Extras = NonNullable<Parameters<typeof tool>[4]>;

export interface Shop {
  readonly effects: string[];
  readonly server: ReturnType<typeof createSdkMcpServer>;
}

/** A server "shop" with the tool `pay`, which has an effect. */
export function shop(extras: Extras = {}, handler?: (context: ToolContext) => unknown): Shop {
  const effects: string[] = [];
  const pay = tool(
    'pay',
    'Pays',
    { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] } as const,
    async (args, context) => {
      const { amount } = args as { amount: number };
      effects.push(`paid ${amount}`);
      return ((await handler?.(context)) as string | undefined) ?? `Paid ${amount}.`;
    },
    extras,
  );
  return { effects, server: createSdkMcpServer({ name: 'shop', tools: [pay], alwaysLoad: true }) };
}

/** A storage that outlives the hosts on it. */
export function shared(storage: HostStorage = memoryStorage()): HostStorage {
  return { ...storage, close: async () => {} };
}

export interface Hosted {
  readonly host: Host;
  readonly model: ScriptedModel;
}

/** Problems fail the test unless it says otherwise. */
export function hosted(
  script: Script,
  { server }: Pick<Shop, 'server'>,
  options: Partial<HostOptions> = {},
  agent: Partial<Options> = {},
): Hosted {
  const model = scriptedModel(script);
  const host = createHost({
    options: { runtime: embedded({ model }), mcpServers: { shop: server }, cwd: '/work', ...agent },
    approvals: { holdMs: 20 },
    onProblem: ({ during, error }) => {
      throw new Error(`a problem with ${during}`, { cause: error });
    },
    ...options,
  });
  return { host, model };
}

/** What is told of a conversation up to the end of a prompt. */
export async function until(
  host: Host,
  ref: { tenant: string; session: string },
  isLast: (message: HostMessage) => boolean,
  after = 0,
): Promise<HostEvent[]> {
  const events: HostEvent[] = [];
  for await (const event of host.events(ref, { after })) {
    events.push(event);
    if (isLast(event.message)) return events;
  }
  throw new Error(`the events have ended: ${JSON.stringify(events.map(({ message }) => message))}`);
}

export const isDone = (message: HostMessage): boolean =>
  message.type === 'host' && message.subtype === 'done';
export const isApproval = (message: HostMessage): boolean =>
  message.type === 'host' && message.subtype === 'approval';

/** The events as words. */
export function words(events: readonly HostEvent[]): string[] {
  return events.flatMap(({ message }) => {
    if (message.type === 'host') {
      const { subtype } = message;
      return [subtype === 'done' ? `done: ${message.outcome}` : subtype];
    }
    if (message.type !== 'user' && message.type !== 'assistant')
      return message.type === 'result' ? ['result'] : [];
    const { content } = message.message;
    const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
    return blocks.map((block) => {
      const text =
        'text' in block
          ? block.text
          : JSON.stringify('input' in block ? block.input : 'content' in block ? block.content : '');
      return `${message.type} ${block.type}: ${text}`;
    });
  });
}
