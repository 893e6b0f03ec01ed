// Where the CLI keeps what belongs to the user. One place, because an answer that differs between two readers
// means that one of them looks past a restriction.

import { homedir } from 'node:os';
import { join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

export function homeDirectory(env: Environment): string {
  return env.HOME ?? env.USERPROFILE ?? homedir();
}

/** Settings, transcripts and everything else: `~/.claude`. */
export function configDirectory(env: Environment): string {
  return env.CLAUDE_CONFIG_DIR ?? join(homeDirectory(env), '.claude');
}

/** The CLI's own state, which it keeps beside `~/.claude`. */
export function stateFile(env: Environment): string {
  return join(env.CLAUDE_CONFIG_DIR ?? homeDirectory(env), '.claude.json');
}
