import type { PermissionMode, PermissionUpdate } from '../../../protocol/permissions/permissions.js';
import type { Judgement, Told } from '../judgement.js';
import type { FileFinding } from './file-places.js';
import type { FileUse } from './path-rules.js';

/** What is to be said about a use of one file. `isSearch`: a tool that looks at many. */
export function judgeFile(
  use: FileUse,
  finding: FileFinding,
  mode: PermissionMode,
  isSearch: boolean,
): Judgement {
  const { denied, asked, allowed, isInside, isSensitive, leadsOutside, isLink, path, real } = finding;
  const isEdit = use === 'edit';
  const told = toldOf(use, finding, mode, isSearch);
  const isAccepted = isInside && (!isEdit || mode === 'acceptEdits');
  const isUnsafe = isEdit && (isSensitive || (leadsOutside && allowed === undefined));
  return {
    denied: denied === undefined ? undefined : { rule: denied, type: 'rule' },
    refused:
      isEdit && isLink
        ? `"${path}" is a symbolic link. Change the file that it leads to: ${real}`
        : undefined,
    asked,
    unsafe: isUnsafe ? { told: unsafeTold(finding, told), holdsAlways: false } : undefined,
    changes: isEdit,
    isOutside: !isInside,
    allowed:
      allowed !== undefined
        ? { by: 'rule', type: 'rule', rule: allowed }
        : isAccepted
          ? { by: 'mode', type: 'mode' }
          : undefined,
    told,
  };
}

function toldOf(use: FileUse, finding: FileFinding, mode: PermissionMode, isSearch: boolean): Told {
  const { isInside, leadsOutside, path, real } = finding;
  const suggestions = use === 'read' ? readSuggestions(finding) : editSuggestions(finding, mode);
  const shared = { permission_suggestions: suggestions };
  if (isInside) return { ...shared, ...(isSearch ? {} : { server_policy_ask_only: true }) };
  if (leadsOutside) {
    return {
      ...shared,
      blocked_path: real,
      decision_reason: leadsOutsideReason(path, real),
      decision_reason_type: 'workingDir',
    };
  }
  return {
    ...shared,
    decision_reason: 'The path is outside of the working directories',
    decision_reason_type: 'workingDir',
    ...(isSearch ? {} : { server_policy_ask_only: true }),
  };
}

function unsafeTold({ leadsOutside, path }: FileFinding, told: Told): Told {
  const { server_policy_ask_only: _, ...rest } = told;
  return leadsOutside
    ? {
        ...rest,
        decision_reason_type: 'safetyCheck',
        classifier_approvable: false,
        suppress_always_allow_rule: true,
      }
    : {
        ...rest,
        decision_reason: sensitiveReason(path),
        decision_reason_type: 'safetyCheck',
        classifier_approvable: true,
      };
}

/** A rule for the directory, by each of its names. The root of the file system is never suggested. */
export function readSuggestions({ directories }: Pick<FileFinding, 'directories'>): PermissionUpdate[] {
  return directories
    .filter((directory) => directory !== '/')
    .map((directory) => ({
      type: 'addRules',
      rules: [{ toolName: 'Read', ruleContent: `/${directory}/**` }],
      behavior: 'allow',
      destination: 'session',
    }));
}

export const ACCEPT_EDITS: PermissionUpdate = {
  type: 'setMode',
  mode: 'acceptEdits',
  destination: 'session',
};

function editSuggestions({ directories, isInside }: FileFinding, mode: PermissionMode): PermissionUpdate[] {
  return [
    ...(mode === 'default' ? [ACCEPT_EDITS] : []),
    ...(isInside ? [] : directorySuggestions(directories)),
  ];
}

export function directorySuggestions(directories: readonly string[]): PermissionUpdate[] {
  const added = directories.filter((directory) => directory !== '/');
  return added.length === 0 ? [] : [{ type: 'addDirectories', directories: added, destination: 'session' }];
}

export function leadsOutsideReason(path: string, real: string): string {
  return `${path} leads through a symbolic link to ${real}, which is outside of the working directories`;
}

export function sensitiveReason(path: string): string {
  return `${path} is a file that other programs obey`;
}
