/** `setMcpServers()` that the agent refuses, and several at once: what is in effect is what the agent has (R30). */
import { describe, expect, it } from 'vitest';
import { type AgentRuntime, createSdkMcpServer, createSession, tool } from '../../src/index.js';
import { wrapReceiver, wrapTransport } from '../../src/protocol/index.js';
import type { TransportReceiver } from '../../src/protocol/transport/transport.js';
import type { ControlRequestFrame } from '../../src/protocol/wire/frames.js';
import { embedded } from '../../src/runtime/index.js';
import { scriptedModel, text, toolUse } from '../../src/testing/index.js';
import { resultsOf } from '../support/back-ends.js';
import { collect } from '../support/real-cli.js';

const serverOf = (name: string, handler: () => unknown) =>
  createSdkMcpServer({ name, alwaysLoad: true, tools: [tool('a', 'A tool', {}, handler as never)] });

/** A runtime that refuses calls of `setMcpServers()` as `refuses` says, and not before `may` resolves. */
function refusing(
  runtime: AgentRuntime,
  refuses: (names: string[]) => boolean,
  may: () => Promise<void> = async () => {},
): AgentRuntime {
  return {
    open: (start) => {
      let receiver: TransportReceiver | undefined;
      const inner = runtime.open(start);
      return wrapTransport(inner, {
        start: (given) => {
          receiver = wrapReceiver(given, {});
          inner.start(receiver);
        },
        send: (frame) => {
          const { request, request_id } = frame as ControlRequestFrame & {
            request?: { subtype: string; servers: object };
          };
          if (request?.subtype !== 'mcp_set_servers' || !refuses(Object.keys(request.servers))) {
            return inner.send(frame);
          }
          const response = { subtype: 'error' as const, request_id, error: 'Not now.' };
          void may().then(() => receiver?.frame({ type: 'control_response', response } as never, 0));
          return true;
        },
      });
    },
  };
}

function gate(): { passed: Promise<void>; open: () => void } {
  let open = (): void => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

describe('setMcpServers() that is refused', () => {
  it('leaves everything as it was: servers, their tools, and a call that is running', async () => {
    const inside = gate();
    const leave = gate();
    const model = scriptedModel([toolUse('mcp__s__a'), text('One.'), toolUse('mcp__s__a'), text('Two.')]);
    const runtime = refusing(embedded({ model }), () => true);
    let calls = 0;
    const s = serverOf('s', async () => {
      calls += 1;
      inside.open();
      await leave.passed;
      return `answer ${calls}`;
    });
    await using session = createSession({ runtime, mcpServers: { s }, allowedTools: ['mcp__s', 'mcp__t'] });
    session.send('One');
    const first = collect(session.stream());
    await inside.passed;
    for (const servers of [{}, { t: serverOf('t', () => 'B') }, { s: serverOf('s', () => 'another') }]) {
      await expect(session.query.setMcpServers(servers)).rejects.toThrow('Not now.');
    }
    leave.open();
    expect(resultsOf((await first).messages)).toEqual(['answer 1']);
    session.send('Two');
    expect(resultsOf((await collect(session.stream())).messages)).toEqual(['answer 2']);
    expect((await session.query.mcpReady()).connected).toEqual(['s']);
  });

  it('does not undo the call after it', async () => {
    const refused = gate();
    const model = scriptedModel([text('One.'), toolUse('mcp__good__a'), text('Two.')]);
    const runtime = refusing(
      embedded({ model }),
      (names) => names.includes('bad'),
      () => refused.passed,
    );
    const s = serverOf('s', () => 'S');
    await using session = createSession({ runtime, mcpServers: { s }, allowedTools: ['mcp__good'] });
    await session.ask('One');
    const bad = session.query.setMcpServers({ bad: serverOf('bad', () => 'bad') });
    const good = session.query.setMcpServers({ good: serverOf('good', () => 'good') });
    refused.open();
    await expect(bad).rejects.toThrow('Not now.');
    expect(await good).toMatchObject({ added: ['good'], removed: ['s'] });
    session.send('Two');
    expect(resultsOf((await collect(session.stream())).messages)).toEqual(['good']);
  });
});
