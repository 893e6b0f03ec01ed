import type { Agents } from '../conversations/agents.js';
import type { HostSettings } from '../host-options.js';
import type { EventReaders } from '../read/event-readers.js';
import type { HostCounts } from '../stats.js';
import type { Failures } from './failures.js';

/** What all runs of a host share. */
export interface RunParts {
  readonly settings: HostSettings;
  readonly agents: Agents;
  readonly failures: Failures;
  readonly counts: HostCounts;
  /** Local readers, who are told at once. */
  readonly readers: EventReaders;
}
