import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isRecord } from '../../protocol/base/kinds.js';
import type { Environment } from '../variables.js';

/** Whether the user has told the CLI to trust this directory. If that cannot be read, it is not trusted. */
export function isTrusted(cwd: string, env: Environment): boolean {
  const state = env.CLAUDE_CONFIG_DIR ?? env.HOME ?? env.USERPROFILE ?? homedir();
  try {
    const { projects } = JSON.parse(readFileSync(join(state, '.claude.json'), 'utf8'));
    const project = isRecord(projects) && Object.hasOwn(projects, cwd) ? projects[cwd] : undefined;
    return isRecord(project) && project.hasTrustDialogAccepted === true;
  } catch {
    return false;
  }
}
