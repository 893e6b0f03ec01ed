/** Variables that make programs run something, find other programs or files, or write somewhere. */
const OF_PROGRAMS =
  /^(PATH|ENV|LD_.*|DYLD_.*|GCONV_PATH|LOCPATH|NLSPATH|GLIBC_TUNABLES|MALLOC_.*|OPENSSL_.*|SSL.*|NODE_(OPTIONS|PATH)|NPM_CONFIG_.*|PYTHON.*|PERL.*|RUBY.*|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|GIT_.*|.*PAGER|.*EDITOR|VISUAL|BROWSER|SHELL|LESS.*|HOME|PWD|OLDPWD|TMPDIR|TERMINFO.*|XDG_.*|RIPGREP_CONFIG_PATH|GREP_OPTIONS|JQ_.*|RUSTC_WRAPPER|CARGO_.*|MAKEFLAGS|MAKEFILES|CC|CXX|CURL_.*|HOSTALIASES|MAGIC|TAR_OPTIONS|RSYNC_.*|SSH_.*|DOCKER_.*|KUBECONFIG|AWS_.*)$/i;

/** Variables of the shell itself: tables of commands, what it evaluates as a number or a prompt, where words end. */
const OF_THE_SHELL =
  /^(IFS|BASH.*|PROMPT_COMMAND|PS\d|SHELLOPTS|CDPATH|RANDOM|SRANDOM|OPTIND|OPTERR|SECONDS|LINENO|EPOCH.*|HIST.*|DIRSTACK|GROUPS|U?E?UID|PPID|FUNCNEST|FUNCNAME|PIPESTATUS|GLOBIGNORE|EXECIGNORE|FIGNORE|POSIXLY_CORRECT|TIMEFORMAT|TMOUT|INPUTRC|MAIL.*|COMP.*|COPROC|MAPFILE|READLINE_.*|CHILD_MAX)$/;

/** Whether an assignment before a command, or alone, can make something else run. */
export function isRunningVariable(name: string): boolean {
  return OF_PROGRAMS.test(name) || OF_THE_SHELL.test(name);
}
