import type { Workspace } from '../workspace.js';

/** Where relative paths start, and those with a tilde. */
export type Whereabouts = Pick<Workspace, 'root' | 'home'>;

/** A path as somebody names it, made absolute; where it leads is for `locate` to say. */
export function absolutePath({ root, home }: Whereabouts, path: string): string {
  const given = home !== undefined && /^~(\/|$)/.test(path) ? home + path.slice(1) : path;
  const parts: string[] = [];
  for (const part of (given.startsWith('/') ? given : `${root}/${given}`).split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}
