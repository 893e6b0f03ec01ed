/** Two control channels that talk to each other in memory, with a record of what crossed the wire. */
import { setImmediate as turn } from 'node:timers/promises';
import {
  ControlChannel,
  type Frame,
  type InboundRequest,
  isControlFrame,
  memoryTransportPair,
  type Serve,
  type Transport,
} from '../../src/protocol/index.js';

export interface ChannelEnd {
  readonly channel: ControlChannel;
  /** What this end has sent, in order. */
  readonly sent: Frame[];
  readonly debug: string[];
  /** What was wrong with the frames that could not be answered. */
  readonly malformed: string[];
  /** How often the number of open requests was reported as changed. */
  changes: number;
  /** Puts a frame on the wire to this end, as if the other one had sent it. */
  receive(frame: Frame): void;
}

/** Each end serves by its own function; by default whatever comes is answered with its fields. */
export function channelPair(serveLeft: Serve = echo, serveRight: Serve = echo): [ChannelEnd, ChannelEnd] {
  const [leftTransport, rightTransport] = memoryTransportPair();
  const left = channelOver(leftTransport, rightTransport, serveLeft);
  const right = channelOver(rightTransport, leftTransport, serveRight);
  return [left, right];
}

export function echo(request: Parameters<Serve>[0]): unknown {
  return request.fields;
}

/** A handler that is answered by hand. */
export function byHand() {
  const requests: (InboundRequest & { resolve(value: unknown): void; reject(error: unknown): void })[] = [];
  const serve = (request: InboundRequest) =>
    new Promise((resolve, reject) => {
      requests.push({ ...request, signal: request.signal, resolve, reject });
    });
  return { requests, serve };
}

/** Lets everything that is on its way arrive. */
export async function settled(): Promise<void> {
  await turn();
  await turn();
}

function channelOver(transport: Transport, peer: Transport, serve: Serve): ChannelEnd {
  const end: ChannelEnd = {
    channel: new ControlChannel({
      send: (frame) => {
        // As a real wire: what cannot be written as JSON throws here.
        const copy: Frame = JSON.parse(JSON.stringify(frame));
        transport.send(copy);
        end.sent.push(copy);
      },
      serve,
      debug: (message) => end.debug.push(message),
      malformed: (problem) => end.malformed.push(problem),
      changed: () => {
        end.changes += 1;
      },
    }),
    sent: [],
    debug: [],
    malformed: [],
    changes: 0,
    receive: (frame) => void peer.send(frame),
  };
  const { channel } = end;
  transport.start({
    frame: (frame) => {
      if (isControlFrame(frame)) channel.receive(frame);
    },
    noise: () => {},
    dropped: () => {},
    stderr: () => {},
    end: () => channel.close(new Error('the other end left')),
  });
  return end;
}
