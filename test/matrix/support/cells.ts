/** The clients and the agents of the matrix. */
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as tenonSdk from '../../../src/index.js';
import { anthropic } from '../../../src/models/anthropic/anthropic.js';
import { embedded, InMemorySessionStore } from '../../../src/runtime/index.js';
import { localWorkspace } from '../../../src/workspace/adapters/local.js';
import { cliPath } from '../../support/real-cli.js';
import type { Agent, Client, Sdk } from './scenario.js';

export const tenon: Client = { name: 'Tenon', load: async () => tenonSdk };

/** The official SDK, seen from outside only: it is loaded and used, never read. */
export const official: Client = {
  name: 'official SDK',
  load: async () => {
    const reference = createRequire(new URL('../../reference/package.json', import.meta.url));
    const entry = reference.resolve('@anthropic-ai/claude-agent-sdk');
    return (await import(pathToFileURL(entry).href)) as Sdk;
  },
};

export const claudeCode: Agent = { name: 'Claude Code', executable: cliPath };

/** As it is built: a program beside the package. */
export const tenonRuntime: Agent = {
  name: 'tenon-runtime',
  executable: fileURLToPath(new URL('../../../dist/runtime/bin.js', import.meta.url)),
};

/** The same runtime in this process, with what the program takes from its environment given by hand. */
export const inMemory: Agent = {
  name: 'embedded runtime',
  executable: tenonRuntime.executable,
  embed: ({ url }, { CLAUDE_CODE_MAX_RETRIES: retries, HOME: home }) =>
    embedded({
      model: anthropic({
        baseURL: url,
        apiKey: 'test',
        maxRetries: retries === undefined ? undefined : Number(retries),
      }),
      sessionStore: new InMemorySessionStore(),
      workspace: ({ cwd }) => ({ ...localWorkspace(cwd), home }),
    }),
};
