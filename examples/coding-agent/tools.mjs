// The agent's own tools read and change files. What they cannot do is yours to add: here, running the tests.

import process from 'node:process';
import { createSdkMcpServer, tool } from 'tenon';
import { localWorkspace } from 'tenon/workspace';
import { asFolder } from './repository.mjs';

/** @typedef {import('tenon/workspace').Workspace} Workspace */

const COMMAND = 'node --test --test-reporter=spec';

/** @param {Workspace} workspace */
export function projectServer(workspace) {
  const runTests = tool(
    'run_tests',
    'Runs the tests of the project and shows what they print. Fails if a test fails.',
    { type: 'object', properties: {}, additionalProperties: false },
    async (_, { signal }) => {
      const { passed, output } = await testsOf(workspace, signal);
      if (!passed) throw new Error(`Some tests fail.\n\n${output}`);
      return `All tests pass.\n\n${output}`;
    },
    { annotations: { readOnlyHint: true } },
  );
  return createSdkMcpServer({ name: 'project', tools: [runTests] });
}

/**
 * A tree in memory has no commands: then the tests run on a copy.
 *
 * @param {Workspace} workspace
 * @param {AbortSignal} [signal]
 * @returns {Promise<{ passed: boolean, output: string }>}
 */
export function testsOf(workspace, signal) {
  return workspace.exec === undefined
    ? asFolder(workspace, (folder) => run(localWorkspace(folder), signal))
    : run(workspace, signal);
}

/**
 * @param {Workspace} workspace
 * @param {AbortSignal | undefined} signal
 */
async function run({ root, exec }, signal) {
  const decoder = new TextDecoder();
  let output = '';
  // Not what this program was started with: a test runner tells its children by variables who they are.
  const env = { PATH: process.env.PATH, HOME: process.env.HOME };
  const command = exec?.(COMMAND, {
    cwd: root,
    env,
    onOutput: (chunk) => {
      output += decoder.decode(chunk, { stream: true });
    },
  });
  if (command === undefined) throw new Error('This workspace has no commands.');
  const stop = () => void command.kill();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    const { code } = await command.ended;
    return { passed: code === 0, output: output.trim() };
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}
