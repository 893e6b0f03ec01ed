/** Resources of MCP servers, which the model lists and reads with tools of the agent. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { expect } from 'vitest';
import type { McpServerConfig } from '../../../src/index.js';
import { text, toolUse } from '../../../src/testing/index.js';
import { toolResults } from '../support/calc.js';
import type { Scenario } from '../support/scenario.js';

/** One with resources, and one with none. */
function servers(): Record<string, McpServerConfig> {
  const rich = new McpServer({ name: 'rich', version: '1.0.0' });
  const about = { title: 'The settings', description: 'What is set', mimeType: 'text/plain' };
  rich.registerResource('settings', 'config://app', about, async ({ href: uri }) => ({
    contents: [{ uri, mimeType: 'text/plain', text: 'colour = blue' }],
  }));
  rich.registerResource('broken', 'broken://x', {}, async () => {
    throw new Error('it broke');
  });
  const plain = new McpServer({ name: 'plain', version: '1.0.0' });
  plain.registerTool('nothing', { description: 'Does nothing' }, async () => ({ content: [] }));
  return {
    rich: { type: 'sdk', name: 'rich', instance: rich },
    plain: { type: 'sdk', name: 'plain', instance: plain },
  };
}

const read = (uri: string, server = 'rich') => toolUse('ReadMcpResourceTool', { server, uri });

/** The names of the tools for resources in the first line of a turn. */
function offered(line: unknown): string[] {
  const { tools } = line as { tools: string[] };
  return tools.filter((name) => /^(List|Read)McpResources?Tool$/.test(name));
}

export const resources: readonly Scenario[] = [
  {
    name: 'resources of servers, by both names of the tools',
    cites: 's12-sdk-resources-prompts, protocol 6.2, R32',
    servers,
    script: [
      toolUse('ListMcpResourcesTool', {}),
      toolUse('ListMcpResources', { server: 'rich' }),
      toolUse('ListMcpResourcesTool', { server: 'plain' }),
      toolUse('ListMcpResourcesTool', { server: 'nobody' }),
      read('config://app'),
      toolUse('ReadMcpResource', { server: 'rich', uri: 'config://app' }),
      read('config://none'),
      read('broken://x'),
      read('config://app', 'plain'),
      read('config://app', 'nobody'),
      toolUse('ReadMcpResourceTool', { server: 'rich' }),
      text('Done.'),
    ],
    options: () => ({ tools: ['ListMcpResources', 'ReadMcpResourceTool'] }),
    check: (outcome) => {
      expect(offered(outcome.messages[0])).toEqual(['ListMcpResourcesTool', 'ReadMcpResourceTool']);
      expect(JSON.stringify(toolResults(outcome, 2))).toContain('config://app');
      expect(JSON.stringify(toolResults(outcome, 6))).toContain('colour = blue');
      const failed = [4, 7, 8, 9, 10, 11].map(
        (index) => toolResults(outcome, index).at(-1)?.is_error === true,
      );
      expect(failed).toEqual([true, false, true, true, true, true]);
    },
  },
  {
    name: 'tools for resources that a rule takes away by an earlier name',
    cites: 's12-sdk-resources-prompts, R71',
    servers,
    script: [toolUse('ListMcpResourcesTool', {}), read('config://app'), text('Done.')],
    options: () => ({ disallowedTools: ['ListMcpResources', 'ReadMcpResource'] }),
    check: (outcome) => {
      expect(offered(outcome.messages[0])).toEqual([]);
      expect(toolResults(outcome, 2)).toMatchObject([{ is_error: true }]);
      expect(toolResults(outcome, 1)).toMatchObject([{ is_error: true }]);
    },
  },
];
