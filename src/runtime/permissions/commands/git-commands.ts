import type { Effect } from './known-commands.js';
import type { ShellWord } from './shell-word.js';

const LOG =
  /^(-\d+|-[npsSGivqbwLM]\S*|--(oneline|stat|shortstat|numstat|graph|all|decorate(=\w+)?|name-only|name-status|cached|staged|patch|no-patch|pretty(=.*)?|format=.*|date=.*|author=.*|since=.*|until=.*|after=.*|before=.*|grep=.*|max-count=\d+|skip=\d+|reverse|merges|no-merges|first-parent|follow|abbrev-commit|no-color|color(=\w+)?|summary|word-diff(=\w+)?|ignore-all-space|diff-filter=\w+|merge-base))$/;

/** Subcommands that only read, and their options. Whatever can run or write something is not among them. */
const READERS: Readonly<Record<string, RegExp>> = {
  blame: /^(-[lstwfneL]\S*|--(date=.*|porcelain|show-email))$/,
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
  /^remote (show|get-url) [\w.-]+$/,
  /^tag( (-l|--list|-n\d*))*$/,
  /^stash list$/,
  /^worktree list( --porcelain)?$/,
  /^--version$/,
];

/** Without options before the subcommand: they can name another repository, or run something. */
export function gitReads(rest: readonly ShellWord[]): Effect | undefined {
  if (rest.some(({ kind, isDisguised, hasTilde }) => kind !== 'literal' || isDisguised || hasTilde))
    return undefined;
  const words = rest.map(({ value }) => value ?? '');
  const start = words[0] === '--no-pager' ? 1 : 0;
  const effect = { kind: 'read', files: [], isRecursive: false, isAcceptable: false } as const;
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
