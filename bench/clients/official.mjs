// @ts-check
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const reference = createRequire(new URL('../../test/reference/package.json', import.meta.url));
const entry = reference.resolve('@anthropic-ai/claude-agent-sdk');

export const { createSdkMcpServer, query, tool } = await import(pathToFileURL(entry).href);
