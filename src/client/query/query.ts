import { existsSync, readFileSync } from 'node:fs';
import { readServers } from '../../config/read-servers.js';
import { filesFor } from '../../config/resolve-mcp-config.js';
import type { Options } from '../../options/options.js';
import { launchCli, openKept } from '../launch/launch-cli.js';
import type { Machine } from '../launch/machine.js';
import { hasOwnLauncher, type ReadConfiguration } from '../mcp/configured-servers.js';
import { openSession, type Session } from './create-session.js';
import { type QueryParameters, runQuery } from './open-agent.js';
import type { Query } from './query-type.js';
import { noRecorder } from './recording.js';

/**
 * Runs an agent. The process starts immediately; iterate over the result to read its messages. Invalid
 * options are thrown here; later failures are thrown by the loop.
 */
export function query(parameters: QueryParameters): Query {
  return runQuery(parameters, nodeMachine);
}

/** Opens a conversation of several turns over one process. */
export function createSession(options: Options = {}): Session {
  return openSession(options, query);
}

/**
 * The CLI reads some files itself; they matter here only if another place has a server of the same name, or
 * if something is wrong with them. The runtime reads all files itself, and a process started by the user's
 * code may be on another machine.
 */
const readConfiguration: ReadConfiguration = (options, inProcess) => {
  if (options.runtime !== undefined || hasOwnLauncher(options)) return [];
  const files = filesFor(options);
  const pathsOf = (readByClaudeCode: boolean): string[] => [
    ...new Set(files.filter((file) => file.readByClaudeCode === readByClaudeCode).map(({ path }) => path)),
  ];
  const isWanted =
    pathsOf(false).some((path) => existsSync(path)) ||
    pathsOf(true).some((path) => isWorthReading(path, inProcess));
  return isWanted ? files.map((file) => ({ file, ...readServers(file) })) : [];
};

/** A scan is cheaper than parsing: the CLI's own file can be large. */
function isWorthReading(path: string, names: readonly string[]): boolean {
  try {
    if (!existsSync(path)) return false;
    if (path.endsWith('.mcp.json')) return true;
    const bytes = readFileSync(path);
    return bytes.includes('${') || names.some((name) => bytes.includes(JSON.stringify(name)));
  } catch {
    return false;
  }
}

/** A machine with processes and files. */
export const nodeMachine: Machine = {
  launchCli,
  openKept,
  readConfiguration,
  openRecorder: async (record, reports) => {
    try {
      const { newRecorder } = await import('../../observe/recorder.js');
      return newRecorder(record, reports);
    } catch (error) {
      return noRecorder(error, reports.warn);
    }
  },
};
