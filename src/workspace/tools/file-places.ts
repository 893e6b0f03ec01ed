import type { BuiltInContext } from '../../runtime/tools/built-ins.js';
import type { Workspace } from '../workspace.js';

export function extensionOf(path: string): string {
  return /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
}

/** Whether the model could read the file by itself, so that nothing is gained by making it do so. */
export async function isOpenToModel(context: BuiltInContext, path: string): Promise<boolean> {
  return context.offers('Read') && (await context.readsFreely(path));
}

/** The file above a path that stands where a directory would have to be. */
export async function fileAbove({ stat }: Workspace, real: string): Promise<string | undefined> {
  for (let end = real.lastIndexOf('/'); end > 0; end = real.lastIndexOf('/', end - 1)) {
    const parent = real.slice(0, end);
    const found = await stat(parent).catch(() => undefined);
    if (found !== undefined) return found.kind === 'directory' ? undefined : parent;
  }
  return undefined;
}

const changes = new WeakMap<Workspace, Map<string, Promise<unknown>>>();

/** One change of a file at a time, also by subagents that run beside each other. */
export async function oneAtATime<Result>(
  workspace: Workspace,
  real: string,
  change: () => Promise<Result>,
): Promise<Result> {
  const running = changes.get(workspace) ?? new Map<string, Promise<unknown>>();
  changes.set(workspace, running);
  const mine = (running.get(real) ?? Promise.resolve()).then(change);
  const settled = mine.catch(() => {});
  running.set(real, settled);
  try {
    return await mine;
  } finally {
    if (running.get(real) === settled) running.delete(real);
  }
}
