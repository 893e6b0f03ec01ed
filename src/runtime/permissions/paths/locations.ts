// Absolute paths with `/` between their parts, without asking any file system.

/** Without `.`, `..` and doubled slashes. `..` never leads above the root. */
export function normalPath(path: string): string {
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return `/${names.join('/')}`;
}

/** A path as a command or a rule names it, seen from a directory. */
export function pathFrom(directory: string, path: string): string {
  return normalPath(path.startsWith('/') ? path : `${directory}/${path}`);
}

/** Whether the path is the directory or below it. */
export function isInside(directory: string, path: string): boolean {
  return directory === '/' || path === directory || path.startsWith(`${directory}/`);
}

export function parentOf(path: string): string {
  const end = path.lastIndexOf('/');
  return end <= 0 ? '/' : path.slice(0, end);
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
