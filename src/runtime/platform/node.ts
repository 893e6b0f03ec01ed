import { setMaxListeners } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveWithinRoot } from '../../config/resolve-mcp-config.js';
import { readLayers } from '../../config/settings/read-layers.js';
import { startProgram } from '../../mcp/upstream/start-program.js';
import { configDirectory } from '../../protocol/base/user-directories.js';
import { projectKeyAt, projectsDirectory } from '../../sessions/places.js';
import type { Platform } from './platform.js';
import { userKnowledge } from './user-knowledge.js';

export const nodePlatform: Platform = {
  pid: process.pid,
  expectListeners: (signal) => setMaxListeners(0, signal),
  projectKey: projectKeyAt,
  transcriptPath: ({ projectKey, sessionId, subpath }) =>
    join(projectsDirectory(), projectKey, `${sessionId}${subpath === undefined ? '' : `/${subpath}`}.jsonl`),
  placesOf: ({ env, projectKey, sessionId }) => ({
    toolResults: join(projectsDirectory(env), projectKey, sessionId, 'tool-results'),
    // With the user's id, because everybody may share this directory.
    tasks: join(env.TMPDIR ?? tmpdir(), `claude-${process.getuid?.() ?? ''}`, projectKey, sessionId, 'tasks'),
    plans: join(configDirectory(env), 'plans'),
  }),
  resolveServers: resolveWithinRoot,
  readSettings: readLayers,
  userKnowledge,
  machine: process.platform,
  // Hooks that are commands are rare, so the code that starts processes is only loaded with the first one.
  runCommand: async (command, run) => (await import('../hooks/run-command.js')).runCommand(command, run),
  startProgram,
};
