import { debuglog } from 'node:util';
import type { SecretValues } from '../protocol/secret-values.js';
import type { DebugEvent } from './options.js';

export type Debug = (kind: string, message: string, data?: unknown) => void;

const log = debuglog('tenon');

/** Quiet unless asked: by `NODE_DEBUG=tenon` for a person, by `onDebug` for a program. */
export function debugTo(onDebug: ((event: DebugEvent) => void) | undefined, secrets: SecretValues): Debug {
  return (kind, said, shown) => {
    const message = secrets.hide(said);
    const data = secrets.hideIn(shown);
    log('%s: %s', kind, message);
    if (onDebug == null) return;
    try {
      onDebug(data === undefined ? { kind, message } : { kind, message, data });
    } catch (error) {
      log('onDebug threw: %o', error);
    }
  };
}
