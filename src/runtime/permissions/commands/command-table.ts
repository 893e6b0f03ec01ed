// What is known of common commands. Whatever is not in here is asked about.

export interface ReaderRow {
  /** Each option must fit; undefined: every option is harmless. */
  readonly options?: RegExp;
  /** Options that take the next word, which is no file. */
  readonly valued?: RegExp;
  /** What its other words are. `pattern`: first a pattern, then files. */
  readonly operands: 'files' | 'text' | 'pattern' | 'none';
  /** What its other words must look like. */
  readonly texts?: RegExp;
  /** Options with which it reads whole directories. */
  readonly recursive?: RegExp;
  /** The shell may put names of files in, even such as look like options. */
  readonly takesGlobs?: true;
}

const FILES: ReaderRow = {
  operands: 'files',
  options: /^-[a-zA-Z0-9]+$|^--(bytes|lines|help|version|quiet|verbose)(=\d+)?$/,
};
const DIGEST: ReaderRow = { operands: 'files', options: /^-[bt]$|^--(binary|text|tag|zero|help|version)$/ };
/** Without `-v`, which evaluates what it is given. */
const TESTS = /^-([a-hkLOGNoprsStuwxzn]|eq|ne|lt|le|gt|ge|nt|ot|ef)$/;
const TEXT: ReaderRow = { operands: 'text' };
const ALONE: ReaderRow = { operands: 'none', options: /^-[a-zA-Z]+$|^--[a-z-]+$/ };

/** Commands that only read, with options that neither run nor write anything, and follow no links. */
export const READERS: Readonly<Record<string, ReaderRow>> = {
  ':': TEXT,
  '[': { operands: 'files', options: TESTS },
  arch: ALONE,
  base64: {
    operands: 'files',
    options: /^-[di]$|^-w\d*$|^--(decode|help|version|wrap=\d+)$/,
    valued: /^-w$/,
  },
  basename: TEXT,
  cal: { operands: 'text', options: /^-[13jmsy]$/ },
  cat: FILES,
  cd: { operands: 'files', options: /^-[LP]$/ },
  cksum: DIGEST,
  cmp: { operands: 'files', options: /^-[bls]+$/ },
  column: { operands: 'files', options: /^-[txn]+$/, valued: /^-[sc]$/ },
  comm: { operands: 'files', options: /^-[123]+$/ },
  cut: {
    operands: 'files',
    options: /^-[bcdfns]|^--(complement|fields=|delimiter=|characters=)/,
    valued: /^-[bcdf]$/,
  },
  date: {
    operands: 'text',
    texts: /^\+/,
    options: /^-[duRI]$|^-I[a-z]*$|^--(utc|iso-8601(=[a-z]+)?|rfc-3339=[a-z]+)$/,
    valued: /^-d$/,
  },
  df: { operands: 'files', options: /^-[ahHiklPT]+$/ },
  diff: {
    operands: 'files',
    options: /^-[abBdiNpqsuUwyZ\d]+$|^--(brief|color(=\w+)?|unified(=\d+)?|side-by-side)$/,
  },
  dirname: TEXT,
  du: {
    operands: 'files',
    options: /^-[abchkmsxd\d]+$|^--(max-depth=\d+|summarize|human-readable|total)$/,
    valued: /^-d$/,
  },
  echo: { operands: 'text', takesGlobs: true },
  expr: TEXT,
  false: TEXT,
  file: { operands: 'files', options: /^-[biIkLN]+$|^--(brief|mime|mime-type|mime-encoding)$/ },
  free: ALONE,
  grep: {
    operands: 'pattern',
    options:
      /^-[abcEFGHhiIlLnoPqrsTUvwxz]+$|^-[ABCm]\d*$|^-\d+$|^--(color(=\w+)?|colour|count|include=.*|exclude=.*|exclude-dir=.*|ignore-case|line-number|only-matching|recursive|no-messages|max-count=\d+|fixed-strings|extended-regexp|files-with-matches|word-regexp|invert-match|context=\d+|quiet)$/,
    valued: /^-[ABCm]$/,
    recursive: /^(-[a-zA-Z]*[rR]|--recursive)/,
  },
  head: {
    operands: 'files',
    options: /^-[cnqvz\d]+k?$|^--(lines|bytes)=-?\d+$|^--(quiet|verbose)$/,
    valued: /^-[cn]$/,
  },
  hexdump: { operands: 'files', options: /^-[bcCdovx]+$|^-[ns]\d*$/, valued: /^-[ns]$/ },
  hostname: { operands: 'none', options: /^-[fisdIA]$/ },
  id: { operands: 'text', options: /^-[Ggnru]+$/ },
  jq: {
    operands: 'pattern',
    options: /^-[rcSsenMCj]+$|^--(raw-output|compact-output|sort-keys|slurp|null-input|exit-status|tab)$/,
  },
  locale: ALONE,
  // Not through links to what is elsewhere.
  ls: { operands: 'files', takesGlobs: true, options: /^(?!-[a-zA-Z\d]*[LH])(?!--de)/ },
  md5sum: DIGEST,
  nl: { operands: 'files', options: /^-[ban]?\w*$/ },
  node: { operands: 'none', options: /^(-v|--version)$/ },
  npm: { operands: 'none', options: /^(-v|--version)$/ },
  nproc: ALONE,
  od: { operands: 'files', options: /^-[abcdfiloxsvANjtw]\w*$/, valued: /^-[ANjtw]$/ },
  paste: { operands: 'files', options: /^-s$|^-d.*$/, valued: /^-d$/ },
  printf: { operands: 'text', options: /^--$/ },
  ps: { operands: 'text', texts: /^[aux]+$/, options: /^-[aAdefFlwx]+$/ },
  pwd: { operands: 'none', options: /^-[LP]$/ },
  python: { operands: 'none', options: /^--version$/ },
  python3: { operands: 'none', options: /^--version$/ },
  readlink: { operands: 'files', options: /^-[efmnqsvz]+$/ },
  realpath: { operands: 'files', options: /^-[eLmPqsz]+$/ },
  rev: { operands: 'files', options: /^-[hV]$/ },
  rg: {
    operands: 'pattern',
    options:
      /^-[acFHhiIlnNopqsSUvwx]+$|^-[ABCmtTg]\S*$|^--(count|files|files-with-matches|fixed-strings|glob=.*|hidden|ignore-case|line-number|max-count=\d+|multiline|no-heading|no-ignore|only-matching|smart-case|type=\w+|word-regexp)$/,
    valued: /^-[ABCmtTg]$/,
    recursive: /^/,
  },
  seq: TEXT,
  sha1sum: DIGEST,
  sha256sum: DIGEST,
  sha512sum: DIGEST,
  sleep: { operands: 'text', options: /^--$/ },
  sort: {
    operands: 'files',
    options:
      /^-[bcCdfghiMnrRsuVz]+$|^-[kt].*$|^--(key=.*|numeric-sort|reverse|unique|version-sort|ignore-case)$/,
    valued: /^-[kt]$/,
  },
  stat: { operands: 'files', options: /^-[Lft]+$|^-c.*$|^--(format|printf)=/, valued: /^-c$/ },
  strings: { operands: 'files', options: /^-[a\d]+$|^-n\d*$/, valued: /^-n$/ },
  tac: { operands: 'files', options: /^-[br]+$/ },
  tail: { operands: 'files', options: /^-[cnqvz\d]+k?$|^--(lines|bytes)=[+-]?\d+$/, valued: /^-[cn]$/ },
  test: { operands: 'files', options: TESTS },
  tr: { operands: 'text', options: /^-[cCdst]+$/ },
  tree: {
    operands: 'files',
    options: /^-[adfhipsL\d]+$|^--(dirsfirst|gitignore|noreport)$|^-[IP].*$/,
    valued: /^-[LIP]$/,
  },
  true: TEXT,
  type: { operands: 'text', options: /^-[aptP]+$/ },
  uname: ALONE,
  uptime: ALONE,
  wc: { operands: 'files', options: /^-[clmwL]+$|^--(bytes|chars|lines|words|max-line-length)$/ },
  which: { operands: 'text', options: /^-[as]+$/ },
  whoami: ALONE,
};

/** Commands that change the files that they name, and options that do not change which. */
export const EDITORS: Readonly<Record<string, RegExp>> = {
  cp: /^-[fiLnpPuv]+$|^--(force|interactive|no-clobber|verbose|preserve)$/,
  mkdir: /^-[pvm]+$|^--(parents|verbose)$|^--?m(ode=)?\d+$/,
  mv: /^-[finuv]+$|^--(force|interactive|no-clobber|verbose)$/,
  rm: /^-[dfiIrRv]+$|^--(dir|force|recursive|verbose)$/,
  rmdir: /^-[pv]+$|^--(parents|verbose|ignore-fail-on-non-empty)$/,
  tee: /^-[ai]+$|^--append$/,
  touch: /^-[acfhm]+$|^--no-create$/,
};
