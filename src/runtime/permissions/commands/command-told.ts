import type { PermissionMode, PermissionUpdate } from '../../../protocol/permissions/permissions.js';
import type { Told } from '../judgement.js';
import type { FileFinding } from '../paths/file-places.js';
import {
  ACCEPT_EDITS,
  directorySuggestions,
  leadsOutsideReason,
  readSuggestions,
  sensitiveReason,
} from '../paths/judge-file.js';
import { parentOf } from '../paths/locations.js';
import type { ReadCase } from './command-case.js';
import type { Coverage } from './command-coverage.js';
import type { FileTouch } from './command-files.js';
import { commandSuggestion } from './command-suggestions.js';
import { EVALUATORS } from './wrapper-table.js';
import { programOf } from './wrappers.js';

/** What the host is told about a line that nothing lets run. */
export function toldOf({ command, mode, line, files }: ReadCase, covered: readonly Coverage[]): Told {
  const other = (decision_reason: string): Told => ({ decision_reason, decision_reason_type: 'other' });
  const [doubt] = line.doubts;
  if (doubt !== undefined) return { permission_suggestions: [], ...other(`Not understood: ${doubt.reason}`) };
  const waiting = covered.filter(({ isCovered }) => !isCovered);
  if (files.isAdrift) {
    const leaves = waiting.some(({ command: { words } }) => words[0]?.value === 'cd');
    return leaves
      ? { decision_reason_type: 'subcommandResults' }
      : { permission_suggestions: [], ...other('It uses files after a change of directory') };
  }
  const blocked = waiting.flatMap(({ blocking }) => blocking)[0];
  const isFewer = waiting.length === 1 || waiting.every(({ command: { words } }) => words.length === 0);
  if (blocked !== undefined && isFewer && waiting.every(({ blocking }) => blocking.length > 0)) {
    const told = blockedTold(blocked, command, mode);
    if (!waiting.some(({ command: { isPiped } }) => isPiped)) return told;
    const { blocked_path: _, ...rest } = told;
    return { ...rest, decision_reason_type: 'subcommandResults' };
  }
  if (waiting.some(({ command: { words } }) => EVALUATORS.has(words[0]?.value ?? ''))) {
    return { permission_suggestions: [], ...other('Not understood: text is evaluated by the shell') };
  }
  const asking = waiting.map(({ command: each }) => each.source).filter((source) => source !== '');
  const suggestions = { permission_suggestions: asking.length === 0 ? [] : [commandSuggestion(asking)] };
  const hasUnknownWord = waiting.some(({ command: { words } }) =>
    words.some(({ kind }) => kind === 'computed'),
  );
  if (hasUnknownWord)
    return { permission_suggestions: [], ...other('Not understood: a variable is expanded') };
  if (covered.length > 1) return { ...suggestions, decision_reason_type: 'subcommandResults' };
  return {
    ...suggestions,
    ...other(`No rule allows ${programOf(line.commands[0]?.words[0]) ?? 'this command'}`),
  };
}

function blockedTold({ finding, use, isRedirect }: FileTouch, command: string, mode: PermissionMode): Told {
  const { directories, isDirectory, leadsOutside } = finding;
  const path = leadsOutside ? finding.real : finding.path;
  const allowed = directories.some((directory) => directory !== '/') ? [commandSuggestion([command])] : [];
  if (use === 'read') {
    return {
      permission_suggestions: [
        ...allowed,
        ...readSuggestions({
          directories: leadsOutside ? [isDirectory ? path : parentOf(path)] : directories.slice(0, 1),
        }),
      ],
      blocked_path: path,
    };
  }
  const suggestions = [
    ...allowed,
    ...directorySuggestions(isDirectory ? [path] : directories.slice(0, 1)),
    ...(mode === 'default' && !isRedirect ? [ACCEPT_EDITS] : []),
  ];
  return { permission_suggestions: suggestions, blocked_path: path };
}

/** Why a person should see it first: in words, or a file that it would change. */
export function unsafeTold(reason: string, suggestions?: PermissionUpdate[]): Told;
export function unsafeTold(finding: FileFinding, mode: PermissionMode): Told;
export function unsafeTold(about: string | FileFinding, more?: PermissionUpdate[] | PermissionMode): Told {
  const safety = { decision_reason_type: 'safetyCheck', suppress_always_allow_rule: true } as const;
  if (typeof about === 'string') {
    return {
      ...(Array.isArray(more) ? { permission_suggestions: more } : {}),
      decision_reason: about,
      ...safety,
    };
  }
  const { path, real, leadsOutside, directories } = about;
  const decision_reason = leadsOutside ? leadsOutsideReason(path, real) : sensitiveReason(path);
  const permission_suggestions = [
    ...directorySuggestions(directories.slice(-1)),
    ...(more === 'default' ? [ACCEPT_EDITS] : []),
  ];
  return {
    permission_suggestions,
    blocked_path: real,
    decision_reason,
    decision_reason_type: 'safetyCheck',
    ...(leadsOutside ? { suppress_always_allow_rule: true } : {}),
  };
}
