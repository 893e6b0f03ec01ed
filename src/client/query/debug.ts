import type { DebugEvent } from '../../options/options.js';
import { hostModule } from '../../protocol/base/host-process.js';
import type { SecretValues } from '../../protocol/base/secret-values.js';

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
