// The default import, because bundled programs often declare `createRequire` themselves.
import nodeModule from 'node:module';
import type { RunEvent } from '../protocol/transport/run-events.js';
import type { TapeHead } from './tape-format.js';

export type StartEvent = Extract<RunEvent, { kind: 'start' }>;

export function headOf({ facts, conversation }: StartEvent, startedAt: string): TapeHead {
  return {
    tape: 1,
    tenon: ownVersion(),
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    startedAt,
    conversation,
    ...facts,
  };
}

function ownVersion(): string {
  try {
    return nodeModule.createRequire(import.meta.url)('tenon/package.json').version;
  } catch {
    return 'unknown';
  }
}
