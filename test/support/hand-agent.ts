/** An agent played by hand, over a process or in memory: it writes what the test wants, frames or not. */
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import {
  type Frame,
  type FrameProcess,
  memoryTransportPair,
  ProcessTransport,
  type Transport,
  wrapTransport,
} from '../../src/protocol/index.js';

/** The agent's end of a transport. */
export interface AgentEnd {
  readonly transport: Transport;
  /** Values that are no frames reach the host, too. */
  write(frame: unknown): void;
  onFrame(listener: (frame: Frame) => void): void;
  leave(): void;
}

export function inMemory(): AgentEnd {
  const [host, agent] = memoryTransportPair();
  const listeners: ((frame: Frame) => void)[] = [];
  agent.start({
    frame: (frame) => {
      for (const listener of listeners) listener(frame);
    },
    noise: () => {},
    stderr: () => {},
    dropped: () => {},
    end: () => agent.endInput(),
  });
  return {
    // What was sent before the end arrives, as from a process.
    transport: wrapTransport(host, { stop: async () => host.endInput() }),
    write: (frame) => void agent.send(frame as Frame),
    onFrame: (listener) => void listeners.push(listener),
    leave: () => agent.endInput(),
  };
}

export function asProcess(): AgentEnd {
  const [stdin, stdout, events] = [new PassThrough(), new PassThrough(), new EventEmitter()];
  const child: FrameProcess = Object.assign(events, {
    stdin,
    stdout,
    stderr: null,
    pid: undefined,
    kill: () => true,
  });
  let left = false;
  const leave = (): void => {
    if (left) return;
    left = true;
    stdout.end();
    events.emit('exit', 0, null);
  };
  stdin.on('end', leave);
  return {
    transport: new ProcessTransport(child),
    write: (frame) => void stdout.write(`${JSON.stringify(frame)}\n`),
    onFrame: (listener) => {
      let rest = '';
      stdin.setEncoding('utf8').on('data', (text: string) => {
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) listener(JSON.parse(line));
      });
    },
    leave,
  };
}
