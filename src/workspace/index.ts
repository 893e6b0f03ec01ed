// `tenon/workspace` in Node: files and commands for the built-in tools. Elsewhere it is portable.ts.

export { type LocalWorkspaceOptions, localWorkspace } from './adapters/local.js';
export { type MemoryWorkspaceOptions, memoryWorkspace } from './adapters/memory.js';
export { type SandboxedShell, type SandboxOptions, sandboxed } from './adapters/sandboxed.js';
export type { Shell, ShellPlace } from './adapters/shell.js';
export { searchFiles } from './search/search-files.js';
export type {
  CommandEnd,
  DirectoryEntry,
  ExecOptions,
  FileKind,
  FileMatches,
  FileStat,
  Located,
  MatchedLine,
  ReadOptions,
  RunningCommand,
  SearchAnswer,
  SearchQuery,
  Workspace,
} from './workspace.js';
