import type { AgentRuntime, AgentStart } from '../protocol/agent-runtime.js';
import { messageOf } from '../protocol/errors.js';
import { refusedTransport } from '../protocol/failed-transport.js';
import { memoryTransportPair } from '../protocol/memory-transport.js';
import type { Transport } from '../protocol/transport.js';
import { parseFlags, type RuntimeFlags } from './flags.js';
import type { RuntimeConfig } from './runtime-config.js';
import { serveRuntime } from './serve.js';

/** The agent in this process: `query({ options: { runtime: embedded({ model }) } })`. One value serves any number of queries. */
export function embedded(config: RuntimeConfig): AgentRuntime {
  return { open: (start) => open(config, start) };
}

function open(config: RuntimeConfig, start: AgentStart): Transport {
  const { args, env, cwd, sessionStore, sessionStoreFlush = 'batched', loadTimeoutMs } = start;
  let flags: RuntimeFlags;
  try {
    flags = parseFlags(args, (text) => JSON.parse(text));
  } catch (error) {
    return refusedTransport(`${messageOf(error)}\n`);
  }
  const [hostSide, agentSide] = memoryTransportPair();
  // What is said before anybody listens is kept.
  let early = '';
  let tellStderr = (text: string): void => {
    early += text;
  };
  const agent = serveRuntime(agentSide, config, {
    flags,
    cwd,
    ...(sessionStore === undefined ? {} : { sessionStore, sessionStoreFlush, loadTimeoutMs }),
    env,
    reportsState: env.CLAUDE_CODE_SDK_READS_SESSION_STATE === '1',
    onStderr: (text) => tellStderr(text),
  });
  return {
    pid: undefined,
    start: (receiver) => {
      tellStderr = (text) => receiver.stderr(text);
      if (early !== '') tellStderr(early);
      hostSide.start({
        frame: (frame, byteLength) => receiver.frame(frame, byteLength),
        noise: (line) => receiver.noise(line),
        stderr: (text) => receiver.stderr(text),
        // Memory has no exit code: the agent's own is the one that a program would have had.
        end: (end) => void agent.finished.then((code) => receiver.end({ ...end, code })),
      });
    },
    send: (frame) => hostSide.send(frame),
    drained: () => hostSide.drained(),
    endInput: () => hostSide.endInput(),
    pause: () => hostSide.pause(),
    resume: () => hostSide.resume(),
    stop: async (graceMs) => {
      // Without grace the turn that runs is cut short; with it, the agent finishes and leaves.
      if (graceMs === 0) agent.abort();
      // Nobody reads any more, and what lies unread must not hold back the end.
      hostSide.resume();
      hostSide.endInput();
      await agent.finished;
    },
  };
}
