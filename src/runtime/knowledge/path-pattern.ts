/** Whether a relative path fits a pattern with `*`, `**`, `?` and `{a,b}`. One without a slash fits at any depth. */
export function fitsPattern(pattern: string, path: string): boolean {
  const anywhere = pattern.includes('/') ? pattern.replace(/^\.?\//, '') : `**/${pattern}`;
  return new RegExp(`^${expression(anywhere)}$`, 'u').test(path);
}

function expression(pattern: string): string {
  return pattern.replaceAll(
    /\*\*\/|\*\*|\*|\?|\{([^{}]*)\}|[\\^$.|+()[\]{}/-]/gu,
    (token, choices: string | undefined) => {
      if (token === '**/') return '(?:[^/]*/)*';
      if (token === '**') return '.*';
      if (token === '*') return '[^/]*';
      if (token === '?') return '[^/]';
      if (choices !== undefined) return `(?:${choices.split(',').map(expression).join('|')})`;
      return token === '-' ? token : `\\${token}`;
    },
  );
}
