import type { RunEvent, RunRecorder } from '../protocol/transport/run-events.js';
import type { FrameEvent } from '../protocol/transport/tapped-transport.js';
import { newRecorder } from './recorder.js';

type Subscribe = (name: string, listener: (message: unknown) => void) => void;

/** Records every conversation of this process that begins from now on. */
export function recordAll(path: string, subscribe: Subscribe, warn: (text: string) => void): void {
  const recorders = new Map<string, RunRecorder>();
  subscribe('tenon:conversation', (message) => {
    const event = message as RunEvent;
    const { kind, conversation } = event;
    if (kind === 'start') recorders.set(conversation, newRecorder(path, { warn, debug: () => {} }));
    const recorder = recorders.get(conversation);
    recorder?.take(event);
    if (kind !== 'end') return;
    recorders.delete(conversation);
    void recorder?.close();
  });
  subscribe('tenon:frame', (message) => {
    const { frame, conversation, ...info } = message as FrameEvent;
    recorders.get(conversation)?.take({ kind: 'frame', ...info, line: JSON.stringify(frame) });
  });
}
