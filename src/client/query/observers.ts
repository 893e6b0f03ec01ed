import type { ModelExchange } from '../../options/agent-runtime.js';
import { warningsTo } from '../../options/normalise.js';
import type { DebugEvent } from '../../options/options.js';
import type { GivenOptions } from '../../options/row.js';
import { hostEnvironment, hostModule } from '../../protocol/base/host-process.js';
import { SecretValues, secretVariables } from '../../protocol/base/secret-values.js';
import type {
  ModelCalls,
  RecorderCall,
  Recorders,
  RunRecorder,
} from '../../protocol/transport/run-events.js';
import { tappedTransport } from '../../protocol/transport/tapped-transport.js';
import type { Transport } from '../../protocol/transport/transport.js';
import type { Machine } from '../launch/machine.js';
import { type Channels, FrameWatch } from './frame-watch.js';
import { Recording } from './recording.js';
import { factsOf } from './run-facts.js';

export type Debug = (kind: string, message: string, data?: unknown) => void;

const log = hostModule('node:util')?.debuglog('tenon') ?? (() => {});

/** Silent unless enabled: by `NODE_DEBUG=tenon` for people, by `onDebug` for programs. */
export function debugTo(onDebug: ((event: DebugEvent) => void) | undefined, secrets: SecretValues): Debug {
  return (kind, text, value) => {
    const message = secrets.hide(text);
    const data = secrets.hideIn(value);
    log('%s: %s', kind, message);
    if (onDebug == null) return;
    try {
      onDebug(data === undefined ? { kind, message } : { kind, message, data });
    } catch (error) {
      log('onDebug threw: %o', error);
    }
  };
}

const diagnostics = hostModule('node:diagnostics_channel');
const CHANNELS: Channels = {
  frames: diagnostics?.channel('tenon:frame'),
  conversations: diagnostics?.channel('tenon:conversation'),
};

const recorderCalls = diagnostics?.channel('tenon:recorders' satisfies Recorders);

/** Whether the program, or something loaded before it, listens to the conversations of this process. */
function isListenedTo(): boolean {
  return CHANNELS.frames?.hasSubscribers === true || CHANNELS.conversations?.hasSubscribers === true;
}

/** Recorders of those who want every conversation of this process. */
function askedFor(): RunRecorder[] {
  const recorders: RunRecorder[] = [];
  const call: RecorderCall = { add: (recorder) => recorders.push(recorder) };
  if (recorderCalls?.hasSubscribers) recorderCalls.publish(call);
  return recorders;
}

/** Shows a conversation to those who watch it. */
export interface Tap {
  /**
   * Wraps the transport closest to the agent, so that nothing is removed before it is seen. `calls`: where the agent
   * writes down what it asks its model.
   */
  readonly around: (transport: Transport, calls?: ModelCalls) => Transport;
  /** Whether somebody wants to know what the agent asks its model. */
  readonly wantsCalls: boolean;
  /** Whether the program runs under `tenon inspect`, or has asked for the inspector itself. */
  readonly isInspected: boolean;
  /** For an agent that asks its model in this process. */
  readonly onModel: ((exchange: ModelExchange) => void) | undefined;
  /** Where it is recorded, if it is. */
  readonly tape?: () => Promise<string | undefined>;
}

const NOBODY: Tap = {
  around: (transport) => transport,
  wantsCalls: false,
  isInspected: false,
  onModel: undefined,
};

/** Whether anyone is watching is decided once, at the start: if not, the transport is returned unchanged. */
export function frameTap(
  options: GivenOptions,
  env: NodeJS.ProcessEnv,
  secrets: SecretValues,
  debug: Debug,
  machine: Machine,
): Tap {
  const { onFrame, record } = options;
  const isInspected = recorderCalls?.hasSubscribers === true;
  if (onFrame === undefined && record === undefined && !isInspected && !isListenedTo()) return NOBODY;
  const wantsCalls = isInspected || recordsCalls(record);
  let watch: FrameWatch | undefined;
  let recorders: RunRecorder[] = [];
  const watched = { facts: factsOf(options), secrets, hidden: hiddenIn(env, secrets), debug };
  return {
    wantsCalls,
    isInspected,
    // Not before there is an agent: one that cannot be started has nothing to be recorded, and no end.
    around: (transport, calls) => {
      recorders = askedFor();
      if (record !== undefined) {
        const reports = { debug, warn: warningsTo(options, 'TENON_RECORD') };
        recorders.push(new Recording(machine.openRecorder(record, reports)));
      }
      watch = new FrameWatch({ ...CHANNELS, onFrame, recorders, calls }, watched);
      return tappedTransport(transport, watch);
    },
    onModel: !wantsCalls && !isListenedTo() ? undefined : (exchange) => watch?.happened(exchange),
    ...(record !== undefined || isInspected ? { tape: () => tapeOf(recorders) } : {}),
  };
}

async function tapeOf(recorders: readonly RunRecorder[]): Promise<string | undefined> {
  for (const recorder of recorders) {
    const tape = await recorder.tape?.();
    if (tape !== undefined) return tape;
  }
  return undefined;
}

function recordsCalls(record: GivenOptions['record']): boolean {
  return record !== undefined && (typeof record === 'string' || record.exchanges !== false);
}

/** What the conversation knows as secret, at any time, and what the names of variables tell. */
function hiddenIn(env: NodeJS.ProcessEnv, secrets: SecretValues): Pick<SecretValues, 'hide' | 'mayBeIn'> {
  const named = new SecretValues();
  named.addValues([...secretVariables(hostEnvironment()), ...secretVariables(env)]);
  return {
    hide: (text) => named.hide(secrets.hide(text)),
    mayBeIn: (line) => secrets.mayBeIn(line) || named.mayBeIn(line),
  };
}
