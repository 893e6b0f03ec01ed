import { readFileSync } from 'node:fs';
import { isRecord } from '../../protocol/base/kinds.js';
import { stateFile } from '../../protocol/base/user-directories.js';
import type { Environment } from '../variables.js';

/** Whether the user has told the CLI to trust this directory. If that cannot be read, it is not trusted. */
export function isTrusted(cwd: string, env: Environment): boolean {
  try {
    const { projects } = JSON.parse(readFileSync(stateFile(env), 'utf8'));
    const project = isRecord(projects) && Object.hasOwn(projects, cwd) ? projects[cwd] : undefined;
    return isRecord(project) && project.hasTrustDialogAccepted === true;
  } catch {
    return false;
  }
}
