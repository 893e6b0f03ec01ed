import { resolveServers } from '../../config/resolve-servers.js';
import { givenLayers } from '../../config/settings/given-layers.js';
import { TenonError } from '../../protocol/base/errors.js';
import { projectKeyOf } from '../../sessions/project-key.js';
import type { Platform } from './platform.js';

/** An environment with only Web APIs, such as an edge worker. */
export const portablePlatform: Platform = {
  pid: undefined,
  expectListeners: () => {},
  projectKey: async (directory) => projectKeyOf(directory),
  transcriptPath: ({ projectKey, sessionId, subpath }) =>
    `/projects/${projectKey}/${sessionId}${subpath === undefined ? '' : `/${subpath}`}.jsonl`,
  placesOf: ({ projectKey, sessionId }) => ({
    toolResults: `/tmp/claude/projects/${projectKey}/${sessionId}/tool-results`,
    tasks: `/tmp/claude/${projectKey}/${sessionId}/tasks`,
    plans: '/tmp/claude/plans',
  }),
  resolveServers: ({ mcpServers, settingSources = [], strictMcpConfig, env = {} }) => {
    if (settingSources.length > 0) {
      throw new TenonError(
        'NOT_SUPPORTED',
        `settingSources: ${JSON.stringify(settingSources)} cannot be read, because there are no files here. Leave it out, and give mcpServers.`,
      );
    }
    return resolveServers({ mcpServers, env, isStrict: strictMcpConfig }, []);
  },
  readSettings: givenLayers,
};
