/** Projects on disk for conversations that know something. */
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Options } from '../../../src/index.js';
import type { RuntimeConfig } from '../../../src/runtime/index.js';
import { localWorkspace } from '../../../src/workspace/adapters/local.js';
import { temporaryDirectory } from '../../support/temporary.js';

const root = realpathSync(temporaryDirectory());
let boxes = 0;

/** A project and a configuration of its own, on disk. */
export function box(files: Record<string, string>): { cwd: string; config: string; options: Options } {
  boxes += 1;
  const [cwd, config] = [join(root, `${boxes}/work`), join(root, `${boxes}/config`)];
  for (const [name, content] of Object.entries({ 'work/.keep': '', 'config/.keep': '', ...files })) {
    const path = join(root, String(boxes), name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  return {
    cwd,
    config,
    options: { cwd, env: { HOME: join(root, String(boxes)), CLAUDE_CONFIG_DIR: config } },
  };
}

export const onDisk: Pick<RuntimeConfig, 'workspace'> = { workspace: ({ cwd }) => localWorkspace(cwd) };

/** The tool that runs commands is the real one; the shell only notes them, and says what it was asked. */
export function shell(): { config: Pick<RuntimeConfig, 'workspace'>; commands: string[] } {
  const commands: string[] = [];
  const workspace: RuntimeConfig['workspace'] = ({ cwd }) => ({
    ...localWorkspace(cwd),
    exec: (command, { onOutput }) => {
      commands.push(command);
      const said = onOutput(new TextEncoder().encode(`ran ${command}`));
      return { ended: Promise.resolve(said).then(() => ({ code: 0, signal: null })), kill: async () => {} };
    },
  });
  return { config: { workspace }, commands };
}

/** A request to the model, as text. */
export const requestText = (model: { requests: readonly { body: unknown }[] }, index = 0) =>
  JSON.stringify(model.requests[index]?.body);
