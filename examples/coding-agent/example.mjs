import { inFolder, inMemory } from './repository.mjs';
import { projectServer, testsOf } from './tools.mjs';

const TOOLS = ['Read', 'Edit', 'Glob', 'Grep'];

/** @type {import('../shared/agent.mjs').Example} */
export const example = {
  name: 'coding-agent',
  question: 'A test of this project fails. Find out why and mend it.',
  systemPrompt:
    'You mend small projects. Look before you change anything, change as little as possible, and run the tests before you say that you are done.',
  flags: {
    local: { type: 'boolean', help: 'in a folder of this machine, not in memory' },
    sandboxed: { type: 'boolean', help: 'in a folder, with commands in a sandbox; needs bubblewrap' },
  },
  open: async ({ flags, backend, print }) => {
    // The CLI works on files of this machine.
    const isOnDisk = flags.local || flags.sandboxed || backend === 'cli';
    const { workspace, close } = isOnDisk
      ? await inFolder({ isolated: flags.sandboxed === true })
      : await inMemory();
    print('project', isOnDisk ? workspace.root : 'a tree in memory');
    return {
      workspace,
      options: {
        cwd: workspace.root,
        tools: TOOLS,
        allowedTools: [...TOOLS, 'mcp__project__run_tests'],
        permissionMode: 'acceptEdits',
        mcpServers: { project: projectServer(workspace) },
      },
      conclude: async () => {
        const { passed, output } = await testsOf(workspace);
        if (!passed) throw new Error(`The agent has stopped, and some tests fail.\n\n${output}`);
        return 'the tests pass';
      },
      close,
    };
  },
  script: ({ index, results }) => {
    if (index === 0) return [{ name: 'mcp__project__run_tests', input: {} }];
    if (index === 1)
      return [{ name: 'Grep', input: { pattern: 'export function slug', output_mode: 'content' } }];
    if (index === 2) {
      const path = results[0]?.text.split(':')[0] ?? '';
      return [{ name: 'Read', input: { file_path: path } }];
    }
    if (index === 3) {
      return [
        {
          name: 'Edit',
          input: {
            file_path: 'src/slug.js',
            old_string: '[^a-z0-9]+/,',
            new_string: '[^a-z0-9]+/g,',
          },
        },
      ];
    }
    if (index === 4) return [{ name: 'mcp__project__run_tests', input: {} }];
    return 'Only the first run of signs became a dash, because the expression lacked its `g`. It has one now, and all tests pass.';
  },
};
