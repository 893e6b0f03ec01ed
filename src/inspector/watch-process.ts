import { newLineRecorder } from '../observe/line-recorder.js';
import { recordEach } from '../observe/record-all.js';
import type { Inspector } from './inspector-types.js';

/** Shows every conversation of this process that begins from now on. Returns a function that ends it for those to come. */
export function watchProcess(inspector: Pick<Inspector, 'addRun'>): () => void {
  let count = 0;
  return recordEach(() => {
    count += 1;
    const run = inspector.addRun(`run ${count}`);
    return newLineRecorder({ write: (lines) => run.push(lines), close: () => run.end() });
  });
}
