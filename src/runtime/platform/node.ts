import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { resolveWithinRoot } from '../../config/resolve-mcp-config.js';
import { readLayers } from '../../config/settings/read-layers.js';
import { startProgram } from '../../mcp/upstream/start-program.js';
import { projectKeyAt, projectsDirectory } from '../../sessions/places.js';
import type { Platform } from './platform.js';

export const nodePlatform: Platform = {
  pid: process.pid,
  expectListeners: (signal) => setMaxListeners(0, signal),
  projectKey: projectKeyAt,
  transcriptPath: ({ projectKey, sessionId }) => join(projectsDirectory(), projectKey, `${sessionId}.jsonl`),
  resolveServers: resolveWithinRoot,
  readSettings: readLayers,
  // Hooks that are commands are rare, so the code that starts processes is only loaded with the first one.
  runCommand: async (command, run) => (await import('../hooks/run-command.js')).runCommand(command, run),
  startProgram,
};
