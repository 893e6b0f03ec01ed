import type { Workspace } from '../../workspace/workspace.js';
import type { Permissions } from '../permissions/permissions.js';
import type { Platform } from '../platform/platform.js';
import type { RuntimeFlags } from '../start/flags.js';
import type { RuntimeStart } from '../start/runtime-config.js';
import type { TaskBoard } from '../tasks/task-board.js';
import type { BuiltInContext } from './built-ins.js';
import { canAsk, isNamed } from './free-tools.js';
import { placesIn } from './places.js';

export type Surroundings = {
  flags: RuntimeFlags;
  env: NonNullable<RuntimeStart['env']>;
  platform: Platform;
};

/** What the built-in tools of a conversation work on. */
export interface WorkspaceParts {
  workspace: Workspace;
  tasks: TaskBoard;
  sessionId(): string;
  about: Pick<BuiltInContext, 'onRead' | 'files' | 'beforeChange'>;
}

/** What is an agent's own. */
export type AgentContext = Pick<BuiltInContext, 'beforeChange' | 'files' | 'isNamed' | 'offers' | 'onRead'>;

export function builtInContext(
  parts: WorkspaceParts,
  agent: AgentContext,
  surroundings: Surroundings,
  permissions: Permissions,
): BuiltInContext {
  const { flags, env, platform } = surroundings;
  return {
    workspace: parts.workspace,
    tasks: parts.tasks,
    get sessionId() {
      return parts.sessionId();
    },
    env,
    platform,
    canAsk: canAsk(flags),
    additionalDirectories: () => permissions.book.directories.map(({ path }) => path),
    isForbidden: (name) => permissions.isRemoved({ name }),
    mayRead: (real) => permissions.mayRead(real),
    readsFreely: (path) => permissions.readsFreely(path),
    ...agent,
    isNamed: (name) => agent.isNamed(name) || isNamed(name, flags),
    places: () => placesIn(parts.workspace, surroundings, parts.sessionId()),
    get mode() {
      return permissions.mode;
    },
    setMode: (mode) => permissions.setMode(mode),
  };
}
