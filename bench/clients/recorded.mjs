// @ts-check
/** Tenon, with every conversation recorded to a directory that goes with the process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query as unrecorded } from 'tenon';

export { createSdkMcpServer, tool } from 'tenon';

const folder = mkdtempSync(join(tmpdir(), 'tenon-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** @param {any} parameters */
export function query({ prompt, options }) {
  return unrecorded({ prompt, options: { ...options, record: folder } });
}
