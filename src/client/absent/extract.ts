import { refuse } from './refuse.js';

export const extractFromBunfs: never = refuse(
  '/extract',
  'it copies a CLI that was compiled into a Bun executable to where it can be started, and Tenon brings no CLI.',
  'Install Claude Code beside the executable, and name it with the option `pathToClaudeCodeExecutable` or the variable CLAUDE_CODE_EXECUTABLE.',
);
