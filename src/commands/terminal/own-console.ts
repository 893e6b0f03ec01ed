import { Console } from 'node:console';
import { Writable } from 'node:stream';

/**
 * Redirects what tools print with `console.log`, because stdout is reserved for the answer or a protocol.
 * Must be called before a tools file is loaded.
 */
export function consoleTo(write: (lines: string) => void): void {
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => {
      write(String(chunk).replace(/\n$/, ''));
      done();
    },
  });
  globalThis.console = new Console(stream, stream);
}
