import { normalPath } from './locations.js';

/** Directories in which a file can make other programs run something, or changes what an agent may do. */
const DIRECTORIES: ReadonlySet<string> = new Set([
  '.cargo',
  '.claude',
  '.devcontainer',
  '.git',
  '.gnupg',
  '.husky',
  '.idea',
  '.ssh',
  '.vscode',
  '.yarn',
]);

/** Files that shells, package managers and agents read and obey. */
const FILES: ReadonlySet<string> = new Set([
  '.bash_aliases',
  '.bash_login',
  '.bash_logout',
  '.bash_profile',
  '.bashrc',
  '.bazelrc',
  '.claude.json',
  '.cshrc',
  '.curlrc',
  '.envrc',
  '.exrc',
  '.gdbinit',
  '.gitconfig',
  '.gitmodules',
  '.inputrc',
  '.kshrc',
  '.lldbinit',
  '.login',
  '.mcp.json',
  '.netrc',
  '.npmrc',
  '.pnpmfile.cjs',
  '.pre-commit-config.yaml',
  '.profile',
  '.ripgreprc',
  '.tmux.conf',
  '.vimrc',
  '.wgetrc',
  '.xinitrc',
  '.xprofile',
  '.yarnrc',
  '.yarnrc.yml',
  '.zlogin',
  '.zlogout',
  '.zprofile',
  '.zshenv',
  '.zshrc',
]);

/** What desktops, shells and git read at the start, below `.config`. */
const CONFIGURED: ReadonlySet<string> = new Set([
  'autostart',
  'environment.d',
  'fish',
  'git',
  'nvim',
  'systemd',
  'zsh',
]);

/**
 * Whether a person should see a change of this file before it happens, whatever the mode. Some file systems take
 * other spellings for the same name: letters of another case, dots and blanks at the end, short names with `~1`.
 */
export function isSensitive(path: string): boolean {
  const names = normalPath(path).split('/');
  return names.some((written, index) => {
    const name = written.normalize('NFKC').toLowerCase();
    if (/[. ]$/.test(name) || /~\d/.test(name)) return true;
    const plain = name.split(/[:\\]/)[0] ?? '';
    if (names[index - 1]?.toLowerCase() === '.config' && CONFIGURED.has(plain)) return true;
    if (DIRECTORIES.has(plain) || (name.includes('\\') && isSensitive(name.replaceAll('\\', '/'))))
      return true;
    return index === names.length - 1 && FILES.has(plain);
  });
}
