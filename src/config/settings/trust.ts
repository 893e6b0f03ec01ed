import { readFileSync } from 'node:fs';
import { isRecord } from '../../protocol/base/kinds.js';
import { stateFile } from '../../protocol/base/user-directories.js';
import type { Environment } from '../variables.js';

/** What the user has told the CLI about a directory. */
export interface Trust {
  /** Its files may give rights. */
  readonly isTrusted: boolean;
  /** Its memory files may import files from anywhere. */
  readonly mayImportAnything: boolean;
}

/** If that cannot be read, the directory is not trusted. */
export function trustIn(cwd: string, env: Environment): Trust {
  try {
    const { projects } = JSON.parse(readFileSync(stateFile(env), 'utf8'));
    const project = isRecord(projects) && Object.hasOwn(projects, cwd) ? projects[cwd] : undefined;
    const has = (key: string): boolean => isRecord(project) && project[key] === true;
    return {
      isTrusted: has('hasTrustDialogAccepted'),
      mayImportAnything: has('hasClaudeMdExternalIncludesApproved'),
    };
  } catch {
    return { isTrusted: false, mayImportAnything: false };
  }
}

/** Whether the user has told the CLI to trust this directory. */
export function isTrusted(cwd: string, env: Environment): boolean {
  return trustIn(cwd, env).isTrusted;
}
