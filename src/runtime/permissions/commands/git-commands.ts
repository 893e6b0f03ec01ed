import type { Effect } from './known-commands.js';
import type { ShellWord } from './shell-word.js';

const LOG =
  /^(-\d+|-[nSGLM]\S*|-[psivqbw]+|--(oneline|stat|shortstat|numstat|graph|all|decorate(=\w+)?|name-only|name-status|cached|staged|patch|no-patch|pretty(=.*)?|format=.*|date=.*|author=.*|since=.*|until=.*|after=.*|before=.*|grep=.*|max-count=\d+|skip=\d+|reverse|merges|no-merges|first-parent|follow|abbrev-commit|no-color|color(=\w+)?|summary|word-diff(=\w+)?|ignore-all-space|diff-filter=\w+|merge-base))$/;

/** Subcommands that only read, and their options. Whatever can run or write something is not among them. */
const READERS: Readonly<Record<string, RegExp>> = {
  blame: /^(-L\S*|-[lstwfne]+|--(date=.*|porcelain|show-email))$/,
  describe: /^--(tags|always|all|long|dirty|abbrev(=\d+)?)$/,
  diff: LOG,
  log: LOG,
  'ls-files': /^(-[cdmostuz]+|--(cached|deleted|modified|others|stage|exclude-standard))$/,
  'ls-tree': /^(-[rdtlz]+|--(name-only|long|full-tree))$/,
  'merge-base': /^--(is-ancestor|all|fork-point)$/,
  'rev-list': /^(-\d+|-n\d*|--(count|all|max-count=\d+))$/,
  'rev-parse':
    /^--(abbrev-ref(=\w+)?|short(=\d+)?|show-toplevel|verify|is-inside-work-tree|git-dir|show-prefix)$/,
  shortlog: /^(-[snec]+|--(summary|numbered|all))$/,
  show: LOG,
  status: /^(-[sbuz]\w*|--(short|branch|porcelain(=\w+)?|ignored|untracked-files(=\w+)?|long))$/,
};

/** Subcommands that read with these words alone, and change something with others. */
const LISTING: readonly RegExp[] = [
  /^branch( (-a|-r|-v|-vv|-l|--list|--all|--remotes|--show-current|--no-color))*$/,
  /^remote( (-v|--verbose))?$/,
  /^remote get-url [\w.-]+$/,
  /^tag( (-l|--list|-n\d*))*$/,
  /^stash list$/,
  /^worktree list( --porcelain)?$/,
  /^--version$/,
];

/** Subcommands that run nothing but git and its hooks, unless options say otherwise. Any other name may be an alias. */
const OWN =
  /^(add|am|apply|archive|blame|branch|bundle|cat-file|check-ignore|checkout|cherry|cherry-pick|clean|clone|commit|describe|diff|diff-tree|fetch|format-patch|fsck|gc|grep|hash-object|init|log|ls-files|ls-remote|ls-tree|merge|merge-base|mv|name-rev|notes|prune|pull|push|range-diff|rebase|reflog|remote|reset|restore|rev-list|rev-parse|revert|rm|shortlog|show|show-ref|sparse-checkout|stash|status|switch|symbolic-ref|tag|update-index|update-ref|version|whatchanged|worktree|write-tree)$/;
const RUNNING_OPTIONS =
  /^(-c|-x|-O|-u|--config|--config-env|--exec|--exec-path|--upload-pack|--receive-pack|--open-files-in-pager|--ext-diff|--textconv|--template|--interactive)|^ext::/;

/** Whether it may run something that is not git. */
export function gitRuns(rest: readonly ShellWord[]): boolean {
  const values = rest.map(({ value }) => value ?? '');
  const start = startOfSubcommand(rest);
  const name = rest[start]?.value;
  const before = values.slice(0, start);
  if (before.some((value) => /^(-c|--config-env|--exec-path)/.test(value))) return true;
  if (rest[start] === undefined) return false;
  // What only the shell knows is compared with rules by whoever asks.
  if (name === undefined) return false;
  if (!OWN.test(name)) return true;
  const isHarmlessShort = /^(checkout|commit|push|status|switch|branch|add|stash|diff|log|show)$/.test(name);
  return values
    .slice(start + 1)
    .some((value) => RUNNING_OPTIONS.test(value) && !(isHarmlessShort && /^-[cuO]/.test(value)));
}

/** The place of the subcommand, behind options of git itself. */
export function startOfSubcommand(rest: readonly ShellWord[]): number {
  let index = 0;
  while (index < rest.length) {
    const value = rest[index]?.value;
    if (value === undefined || !value.startsWith('-')) break;
    index += /^(-C|-c|--git-dir|--work-tree|--namespace|--super-prefix|--config-env|--attr-source)$/.test(
      value,
    )
      ? 2
      : 1;
  }
  return index;
}

/** Without options before the subcommand: they can name another repository, or run something. */
export function gitReads(rest: readonly ShellWord[]): Effect | undefined {
  if (rest.some(({ kind, isDisguised, hasTilde }) => kind !== 'literal' || isDisguised || hasTilde))
    return undefined;
  const words = rest.map(({ value }) => value ?? '');
  const start = words[0] === '--no-pager' ? 1 : 0;
  const effect = {
    kind: 'read',
    files: [],
    usesFiles: true,
    isRecursive: false,
    isAcceptable: false,
  } as const;
  if (LISTING.some((listing) => listing.test(words.slice(start).join(' ')))) return effect;
  const [name = '', ...operands] = words.slice(start);
  const options = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
  if (options === undefined) return undefined;
  const end = operands.indexOf('--');
  const before = end === -1 ? operands : operands.slice(0, end);
  if (before.some((word) => word.startsWith('-') && !options.test(word))) return undefined;
  // Outside of a repository, `git diff` compares any two files; `HEAD:x` is a file as it was.
  const named = rest.slice(start + 1).filter(({ value }) => !value?.startsWith('-'));
  const showsContent =
    /^(blame|diff|show)$/.test(name) || before.some((word) => /^(-[pSGL]|--patch)/.test(word));
  return { ...effect, files: named, isRecursive: showsContent };
}
