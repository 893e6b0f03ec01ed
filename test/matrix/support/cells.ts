/** The clients and the agents of the matrix. */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import * as tenonSdk from '../../../src/index.js';
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
