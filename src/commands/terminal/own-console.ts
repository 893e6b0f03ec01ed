import { Console } from 'node:console';
import { Writable } from 'node:stream';

/**
 * What tools print with `console.log` goes where the command wants it: stdout has the answer, or a protocol. To be called
 * before a file of tools is loaded.
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
