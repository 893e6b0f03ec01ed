/** A workspace of names alone, and what permissions say of calls in it. */
import type { RuleInForce } from '../../../src/protocol/permissions/permission-decision.js';
import type { RuleKind } from '../../../src/protocol/permissions/permission-rules.js';
import type { PermissionMode } from '../../../src/protocol/permissions/permissions.js';
import { type AccessRuling, ruleAccess } from '../../../src/runtime/permissions/access-ruling.js';
import { normalPath } from '../../../src/runtime/permissions/paths/locations.js';
import { PermittedFiles } from '../../../src/runtime/permissions/permitted-files.js';
import { RuleBook } from '../../../src/runtime/permissions/rule-book.js';
import type { ToolAccess } from '../../../src/runtime/tools/tool-port.js';
import type { Located, Workspace } from '../../../src/workspace/workspace.js';

export const ROOT = '/home/me/work';
export const HOME = '/home/me';

/** Directories end with a slash; a link is `[name, target]`. */
export interface Tree {
  readonly files?: readonly string[];
  readonly links?: readonly (readonly [name: string, target: string])[];
}

const FILES = [
  '/etc/passwd',
  '/out/o.txt',
  `${HOME}/h.txt`,
  `${HOME}/.ssh/id`,
  `${ROOT}/a.txt`,
  `${ROOT}/b.txt`,
  `${ROOT}/.env`,
  `${ROOT}/docs/d.md`,
  `${ROOT}/docs/sub/e.md`,
  `${ROOT}/secret/s.txt`,
  `${ROOT}/src/secret/x.txt`,
  `${ROOT}/.git/config`,
];
const LINKS = [
  [`${ROOT}/outlink`, '/out'],
  [`${ROOT}/doclink`, `${ROOT}/docs`],
  [`${ROOT}/innocent.txt`, `${ROOT}/secret/s.txt`],
  [`${ROOT}/passwords`, '/etc/passwd'],
  [`${ROOT}/dangling`, '/out/new.txt'],
] as const;

export function namesOnly({ files = FILES, links = LINKS }: Tree = {}): Workspace {
  const targets = new Map(links);
  const follow = (path: string, left = 20): string => {
    let done = '';
    for (const name of normalPath(path)
      .split('/')
      .filter((each) => each !== '')) {
      const target = targets.get(`${done}/${name}`);
      done = target === undefined || left === 0 ? `${done}/${name}` : follow(target, left - 1);
    }
    return done === '' ? '/' : done;
  };
  const never = (): never => {
    throw new Error('Permissions look at names, not into files.');
  };
  return {
    root: ROOT,
    home: HOME,
    locate: async (path): Promise<Located> => {
      const real = follow(path.startsWith('/') ? path : `${ROOT}/${path}`);
      const isDirectory = real === '/' || files.some((file) => file.startsWith(`${real}/`));
      return { real, kind: isDirectory ? 'directory' : files.includes(real) ? 'file' : undefined };
    },
    stat: never,
    read: never,
    write: never,
    remove: never,
    list: never,
  };
}

/** What a conversation is started with. */
export interface Situation {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly ask?: readonly string[];
  readonly mode?: PermissionMode;
  readonly directories?: readonly string[];
  /** The model has the tool Read. */
  readonly offersRead?: boolean;
  /** Where the shell is. */
  readonly cwd?: string;
  readonly tree?: Tree;
  readonly source?: RuleInForce<'cliArg' | 'userSettings' | 'projectSettings'>['source'];
}

/** A command, or a file by tool and path. */
export type Call = string | readonly [tool: 'Read' | 'Write' | 'Edit' | 'Grep' | 'Glob', path: string];

export async function rulingOf(situation: Situation, call: Call): Promise<AccessRuling> {
  const {
    allow = [],
    deny = [],
    ask = [],
    mode = 'default',
    directories = [],
    source = 'cliArg',
  } = situation;
  const book = new RuleBook({ setMode: () => {}, warn: () => {} });
  for (const [kind, texts] of Object.entries({ allow, deny, ask })) book.add(kind as RuleKind, texts, source);
  book.addDirectories(directories, 'cliArg');
  const workspace = namesOnly(situation.tree);
  const files = new PermittedFiles(
    {
      workspace,
      places: async () => ({ toolResults: '/kept/results', tasks: '/kept/tasks' }),
      userSettings: `${HOME}/.claude`,
    },
    book,
  );
  const tool = typeof call === 'string' ? 'Bash' : call[0];
  const judgement = await files.judge(await accessOf(call, workspace, situation), tool, mode);
  const whole = (kind: RuleKind): RuleInForce | undefined =>
    book.rules.find(
      (each) => each.kind === kind && each.rule.tool === tool && each.rule.specifier === undefined,
    );
  return ruleAccess(judgement, {
    mode,
    hook: { allow: false, ask: undefined },
    wholeAsk: whole('ask'),
    wholeAllow: tool === 'Bash' ? undefined : whole('allow'),
  });
}

export async function verdict(situation: Situation, call: Call): Promise<'allow' | 'ask' | 'deny'> {
  return (await rulingOf(situation, call)).kind;
}

async function accessOf(
  call: Call,
  workspace: Workspace,
  { cwd = ROOT, offersRead = false }: Situation,
): Promise<Exclude<ToolAccess, { kind: 'question' | 'skill' }>> {
  if (typeof call === 'string') return { kind: 'command', command: call, cwd, offersRead };
  const [tool, given] = call;
  const path = given.startsWith('/') ? given : `${ROOT}/${given}`;
  const { real } = await workspace.locate(path);
  return { kind: tool === 'Write' || tool === 'Edit' ? 'edit' : 'read', path, real };
}
