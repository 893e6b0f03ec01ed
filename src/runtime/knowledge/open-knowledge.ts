import { OptionError } from '../../protocol/base/errors.js';
import type { Workspace } from '../../workspace/workspace.js';
import type { PlacedConfig, RuntimeStart } from '../start/runtime-config.js';
import { environmentText } from './environment.js';
import { joinPath, upwards } from './files.js';
import type { Knowledge } from './knowledge.js';
import type { KnowledgeSource } from './places.js';
import { workspaceFiles } from './workspace-files.js';

const SOURCES: readonly KnowledgeSource[] = ['user', 'project', 'local'];

/** Opens the workspace, if there is one, and reads what its files and those of the user tell. */
export function openKnowledge(
  knowledge: Knowledge,
  config: PlacedConfig,
  start: RuntimeStart,
): Promise<Workspace | undefined> {
  const opening = open(knowledge, config, start);
  knowledge.known = opening.then(
    () => {},
    () => {},
  );
  return opening;
}

async function open(
  knowledge: Knowledge,
  config: PlacedConfig,
  start: RuntimeStart,
): Promise<Workspace | undefined> {
  const { cwd, env = {} } = start;
  const { workspace: given } = config;
  const workspace = typeof given === 'function' ? await given({ cwd, env }) : given;
  if (workspace !== undefined) await read(knowledge, workspace, config, start);
  return workspace;
}

async function read(
  knowledge: Knowledge,
  workspace: Workspace,
  { platform }: Pick<PlacedConfig, 'platform'>,
  { cwd, env, flags }: RuntimeStart,
): Promise<void> {
  const user = platform.userKnowledge?.(cwd, env);
  const { real } = await workspace.locate(cwd);
  const located = await Promise.all(flags.addDirectories.map((path) => workspace.locate(path)));
  const repository = await repositoryOf(workspace, real);
  await knowledge.open({
    project: workspaceFiles(workspace),
    user: user?.files,
    places: {
      cwd: real,
      projectRoot: repository ?? real,
      additionalDirectories: located.map((each) => each.real),
      configDirectory: user === undefined ? undefined : joinPath(user.configDirectory),
      home: user?.home ?? workspace.home,
      pluginDirectories: flags.pluginDirectories,
      sources: new Set(flags.settingSources ?? SOURCES),
      isTrusted: user?.isTrusted === true,
      mayImportAnything: user?.mayImportAnything === true,
    },
  });
  knowledge.environment = environmentText({
    cwd,
    additionalDirectories: flags.addDirectories,
    isRepository: repository !== undefined,
    machine: workspace.exec === undefined ? undefined : platform.machine,
  });
}

/** A plugin may have hooks that say no: one that was asked for must not be missing silently. */
export function checkPlugins(
  { pluginDirectories }: Pick<RuntimeStart['flags'], 'pluginDirectories'>,
  { workspace, platform }: Pick<PlacedConfig, 'workspace' | 'platform'>,
): void {
  if (pluginDirectories.length === 0) return;
  if (workspace !== undefined && platform.userKnowledge !== undefined) return;
  throw new OptionError(
    'plugins',
    pluginDirectories,
    'plugins: they are read from folders, and need embedded({ workspace }) on a machine with files. Leave the option out.',
    'NOT_SUPPORTED',
  );
}

/** The root of the repository that a directory is in. */
async function repositoryOf(workspace: Workspace, cwd: string): Promise<string | undefined> {
  for (const directory of upwards(cwd)) {
    if ((await workspace.locate(joinPath(directory, '.git'))).kind !== undefined) return directory;
  }
  return undefined;
}
