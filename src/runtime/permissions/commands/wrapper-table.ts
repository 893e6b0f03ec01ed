// Commands that run other commands, and how to find those in their arguments.

/** Options that take the next word as their value; all others begin with a dash and stand alone. */
export interface WrapperRow {
  readonly valued?: RegExp;
  /** Words before the command, as the duration of `timeout`. */
  readonly skips?: number;
  /** Options with which nothing is run. */
  readonly idle?: RegExp;
  /** The command may have assignments before it, as with `env`. */
  readonly assigns?: true;
  /** Options whose value is a shell line. */
  readonly script?: RegExp;
}

export const WRAPPERS: Readonly<Record<string, WrapperRow>> = {
  builtin: {},
  bunx: {},
  busybox: {},
  caffeinate: { valued: /^-[tw]$/ },
  chroot: { skips: 1 },
  chrt: { skips: 1 },
  command: { idle: /^-[pvV]*[vV]/ },
  doas: { valued: /^-[uC]$/ },
  env: {
    valued: /^(-[uC]|--unset|--chdir)$/,
    assigns: true,
    script: /^(-[a-zA-Z]*S|--split-string)$/,
  },
  exec: { valued: /^-[cl]*a$/ },
  firejail: {},
  flock: { valued: /^-[wE]$/, skips: 1, script: /^(-c|--command)$/ },
  fakeroot: {},
  ionice: { valued: /^-[cnpPu]$/ },
  ltrace: { valued: /^-[eopus]$/ },
  nice: { valued: /^(-n|--adjustment)$/ },
  noglob: {},
  nohup: {},
  npx: { valued: /^(-p|--package)$/, script: /^(-c|--call)$/ },
  numactl: {},
  nsenter: { valued: /^-[tSG]$/ },
  parallel: { valued: /^-[jINnLdE]$/ },
  pkexec: { valued: /^--user$/ },
  rlwrap: {},
  runuser: { valued: /^-[ugGs]$/, script: /^(-c|--command)$/ },
  script: { valued: /^-[EIOTBm]$/, script: /^(-[a-z]*c|--command)$/ },
  setarch: {},
  setsid: {},
  sg: { skips: 1, script: /^-c$/ },
  stdbuf: { valued: /^-[ioe]$/ },
  strace: { valued: /^(-[eopusEPI]|--output)$/ },
  su: { valued: /^-[gGsw]$/, script: /^(-c|--command)$/ },
  sudo: { valued: /^(-[ugpCcDhRrtTU]|--(user|group|host|prompt|chdir|chroot|role|type))$/, assigns: true },
  taskset: { skips: 1 },
  time: { valued: /^-[fo]$/ },
  timeout: { valued: /^(-[ks]|--kill-after|--signal)$/, skips: 1 },
  toybox: {},
  unbuffer: {},
  unshare: { valued: /^-[SGR]$/ },
  watch: { valued: /^-n$|^--interval$/ },
  xargs: { valued: /^-([adEIiLlnPs])$|^--(arg-file|delimiter|max-args|max-procs|replace)$/ },
  'xvfb-run': {},
};

export const SHELLS: ReadonlySet<string> = new Set(
  'ash bash csh dash elvish fish ion ksh mksh nu osh posh powershell pwsh rbash rc sh tcsh xonsh yash zsh'.split(
    ' ',
  ),
);

/** Builtins that run text, or a file, in the shell itself, or change what names mean. */
export const EVALUATORS: ReadonlySet<string> = new Set(
  '. alias bind compgen complete enable eval fc hash history mapfile readarray shopt source trap'.split(' '),
);

/** Builtins that evaluate the index in the name of a variable. */
export const NAMING: ReadonlySet<string> = new Set(
  '[ declare export getopts let local printf read readonly test typeset unset wait'.split(' '),
);

const EVERY = /^/;

/** Programs that run text in another language, or elsewhere, by these options. */
export const INTERPRETERS: readonly (readonly [name: RegExp, option: RegExp])[] = [
  [/^(python|pypy)[\d.]*$/, /^-[a-zA-Z]*c/],
  [/^(node|nodejs|bun|deno|tsx)$/, /^(-[a-z]*[ep]|--eval|--print|eval|repl)/],
  [
    /^(perl|ruby|lua|luajit|Rscript|R|julia|elixir|erl|swift|clojure|osascript|groovy|scala|racket|octave|ghc)[\d.]*$/,
    /^-+[a-zA-Z]*[eE]/,
  ],
  [/^(guile|sbcl|ghci|jshell|m4)$/, EVERY],
  [/^php[\d.]*$/, /^-[rBRE]/],
  [/^([gmn]?awk|original-awk)$/, EVERY],
  [/^(vi|vim|nvim|view|ex|ed|emacs|nano|less|more|man|gdb|lldb|expect|tclsh|irb)$/, EVERY],
  [/^(ssh|docker|podman|kubectl|lxc|systemd-run|at|batch|crontab|tmux|screen|socat|nc|ncat|netcat)$/, EVERY],
  [
    /^(sqlite3|psql|mysql|nix|nix-shell|hyperfine|run-parts|start-stop-daemon|logrotate|entr|watchexec)$/,
    EVERY,
  ],
  [/^(tar|bsdtar|gtar)$/, /^(-[a-zA-Z]*[IF]|--(to-c|check|use-c|info-s|new-v|rsh|rmt))/],
  [/^rsync$/, /^(-[a-zA-Z]*e|--(rsh|rsync-path))/],
  [/^(zip|split|sort)$/, /^(-TT|--(unzip-command|filter|compress))/],
  [/^make$/, /^(SHELL|\.SHELLFLAGS|MAKE\w*)[:+?]?=|^--eval|^-[a-zA-Z]*f-?$|^--(file|makefile)(=-)?$/],
  [/^cmake$/, /^-[EP]/],
  [/^(npm|pnpm|yarn|bun)$/, /^(-c|--call)/],
  [/^(fd|fdfind)$/, /^(--exec(-batch)?=|-[a-zA-Z]*[xX].)/],
];
