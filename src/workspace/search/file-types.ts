import { globExpression } from './glob.js';
import { badPattern } from './problems.js';

/** The types that are asked for most, as ripgrep has them. */
const TYPES: Readonly<Record<string, string>> = {
  asm: '*.S *.asm *.s',
  bazel: '*.BUILD *.bazel *.bazelrc *.bzl BUILD WORKSPACE MODULE.bazel',
  c: '*.[chH] *.[chH].in *.cats',
  clojure: '*.clj *.cljc *.cljs *.cljx',
  cmake: '*.cmake CMakeLists.txt',
  config: '*.cfg *.conf *.config *.ini',
  cpp: '*.[ChH] *.[ChH].in *.[ch]pp *.[ch]pp.in *.[ch]xx *.[ch]xx.in *.cc *.cc.in *.hh *.hh.in *.inl',
  cs: '*.cs',
  csharp: '*.cs',
  css: '*.css *.scss',
  csv: '*.csv',
  dart: '*.dart',
  diff: '*.diff *.patch',
  docker: '*Dockerfile*',
  elixir: '*.eex *.ex *.exs *.heex *.leex *.livemd',
  elm: '*.elm',
  erlang: '*.erl *.hrl',
  fsharp: '*.fs *.fsi *.fsx',
  go: '*.go',
  graphql: '*.graphql *.graphqls',
  groovy: '*.gradle *.groovy',
  h: '*.h *.hh *.hpp',
  haskell: '*.c2hs *.cpphs *.hs *.hsc *.lhs',
  hs: '*.hs *.lhs',
  html: '*.ejs *.htm *.html',
  java: '*.java *.jsp *.jspx *.properties',
  jl: '*.jl',
  js: '*.cjs *.js *.jsx *.mjs *.vue',
  json: '*.json *.sarif composer.lock',
  jsonl: '*.jsonl',
  julia: '*.jl',
  jupyter: '*.ipynb *.jpynb',
  kotlin: '*.kt *.kts',
  less: '*.less',
  log: '*.log',
  lua: '*.lua',
  make: '*.mak *.mk [Gg][Nn][Uu]makefile [Gg][Nn][Uu]makefile.am [Gg][Nn][Uu]makefile.in [Mm]akefile [Mm]akefile.am [Mm]akefile.in',
  markdown: '*.markdown *.md *.mdown *.mdwn *.mdx *.mkd *.mkdn',
  md: '*.markdown *.md *.mdown *.mdwn *.mdx *.mkd *.mkdn',
  nix: '*.nix',
  objc: '*.h *.m',
  ocaml: '*.ml *.mli *.mll *.mly',
  perl: '*.PL *.perl *.pl *.plh *.plx *.pm *.t',
  php: '*.php *.php3 *.php4 *.php5 *.php7 *.php8 *.pht *.phtml',
  protobuf: '*.proto',
  ps: '*.cdxml *.ps1 *.ps1xml *.psd1 *.psm1',
  py: '*.py *.pyi',
  python: '*.py *.pyi',
  r: '*.R *.Rmd *.Rnw *.r',
  rst: '*.rst',
  ruby: '*.gemspec *.rb *.rbw .irbrc Gemfile Rakefile config.ru',
  rust: '*.rs',
  sass: '*.sass *.scss',
  scala: '*.sbt *.scala',
  sh: '*.bash *.bashrc *.csh *.cshrc *.ksh *.kshrc *.sh *.tcsh *.zsh .bash_login .bash_logout .bash_profile .bashrc .cshrc .kshrc .login .logout .profile .tcshrc .zlogin .zlogout .zprofile .zshenv .zshrc bash_login bash_logout bash_profile bashrc profile zlogin zlogout zprofile zshenv zshrc',
  sql: '*.psql *.sql',
  svelte: '*.svelte *.svelte.ts',
  svg: '*.svg',
  swift: '*.swift',
  tex: '*.bib *.cls *.dtx *.ins *.ltx *.sty *.tex',
  tf: '*.tf *.tf.json *.tfvars *.tfvars.json *.terraformrc terraform.rc *.terraform.lock.hcl',
  toml: '*.toml Cargo.lock',
  ts: '*.cts *.mts *.ts *.tsx',
  txt: '*.txt',
  typescript: '*.cts *.mts *.ts *.tsx',
  vim: '*.vim .gvimrc .vimrc _gvimrc _vimrc gvimrc vimrc',
  vue: '*.vue',
  xml: '*.dtd *.rng *.sch *.xhtml *.xjb *.xml *.xml.dist *.xsd *.xsl *.xslt',
  yaml: '*.yaml *.yml',
  zig: '*.zig',
};

/** Whether a file, by its name, is of a type. */
export function fileTypeTest(type: string): (name: string) => boolean {
  const globs = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  if (globs === undefined) {
    throw badPattern(
      `There is no file type "${type}". Without ripgrep these are known: ${Object.keys(TYPES).join(', ')}. Use "glob" for others.`,
    );
  }
  const expressions = globs.split(' ').map(globExpression);
  return (name) => expressions.some((expression) => expression.test(name));
}
