// A consumer of the package, compiled against what npm would install: types that say something, and narrow.
import {
  createSession,
  isSuccess,
  type Options,
  type Query,
  query,
  type SDKMessage,
  TenonError,
} from 'tenon';
import { ControlChannel, memoryTransportPair, type Transport } from 'tenon/protocol';
import { scriptedMessagesApi, text } from 'tenon/testing';

type IsAny<T> = 0 extends 1 & T ? true : false;
type Same<Left, Right> =
  (<T>() => T extends Left ? 1 : 2) extends <T>() => T extends Right ? 1 : 2 ? true : false;
const holds = <Claim extends true>(..._proof: Claim[]): void => {};

type Of<Type extends SDKMessage['type']> = Extract<SDKMessage, { type: Type }>;

holds<Same<IsAny<SDKMessage>, false>>();
holds<Same<IsAny<Options>, false>>();
holds<Same<IsAny<Query>, false>>();
holds<Same<IsAny<Of<'assistant'>['message']>, false>>();
holds<Same<IsAny<Of<'assistant'>['message']['content'][number]>, false>>();
holds<Same<IsAny<Of<'user'>['message']>, false>>();
holds<Same<IsAny<Of<'stream_event'>['event']>, false>>();

/** Each branch uses what only its kind of message has. */
export function describe(message: SDKMessage): string {
  switch (message.type) {
    case 'assistant':
      return message.message.content
        .map((block) => {
          if (block.type === 'text') return block.text;
          if (block.type === 'tool_use') return `${block.name} ${JSON.stringify(block.input)} ${block.id}`;
          if (block.type === 'thinking') return block.thinking;
          return block.type;
        })
        .join('\n');
    case 'user':
      return typeof message.message.content === 'string' ? message.message.content : 'blocks';
    case 'result': {
      if (message.subtype === 'success') return message.result;
      const errors: string[] = message.errors;
      return errors.join('\n');
    }
    case 'system':
      if (message.subtype === 'init') return `${message.model} ${message.tools.join(' ')}`;
      return message.subtype;
    case 'stream_event':
      return message.event.type;
    default:
      return message.type;
  }
}

export async function use(): Promise<number> {
  const controller = new AbortController();
  const running: Query = query({ prompt: 'hi', options: { signal: controller.signal, maxTurns: 2 } });
  for await (const message of running) describe(message);
  const { code } = await running.exited;
  const result = await running.done;
  const kind: string | undefined = result.failure?.kind;
  await using session = createSession({ model: 'opus' });
  const answer = await session.ask('one');
  if (!isSuccess(answer)) return (kind ?? '').length;
  try {
    await running.close();
  } catch (error) {
    if (TenonError.is(error) && error.code === 'CLI_NOT_FOUND') return 1;
  }
  return code ?? 0;
}

export async function low(): Promise<void> {
  const [left]: [Transport, Transport] = memoryTransportPair();
  const channel = new ControlChannel({
    send: (frame) => void left.send(frame),
    serve: ({ subtype }) => ({ subtype }),
    debug: () => {},
    changed: () => {},
  });
  await channel.request('mcp_status', {}, { timeoutMs: 1 });
  await using api = await scriptedMessagesApi([text('hi')]);
  api.assertDone();
}

// What is wrong must not compile.

// @ts-expect-error A prompt is a string or a stream of messages.
query({ prompt: 5 });
// @ts-expect-error No such option.
query({ prompt: 'x', options: { maxTurn: 3 } });
// @ts-expect-error A number of turns is a number.
query({ prompt: 'x', options: { maxTurns: '3' } });
// @ts-expect-error No such mode.
query({ prompt: 'x', options: { permissionMode: 'yolo' } });
// @ts-expect-error A server needs a command, a URL or an instance.
query({ prompt: 'x', options: { mcpServers: { a: { args: [] } } } });
// @ts-expect-error A permission is allowed or denied.
query({ prompt: 'x', options: { canUseTool: async () => ({ behavior: 'maybe' }) } });
// @ts-expect-error No such event.
query({ prompt: 'x', options: { hooks: { BeforeEverything: [] } } });

export async function wrong(running: Query, message: SDKMessage): Promise<void> {
  // @ts-expect-error Only a result has one.
  message.result;
  // @ts-expect-error No such method.
  running.restart();
  // @ts-expect-error No such mode.
  await running.setPermissionMode('yolo');
  // @ts-expect-error An error result has no text of its own.
  if (message.type === 'result' && message.subtype !== 'success') message.result;
}
