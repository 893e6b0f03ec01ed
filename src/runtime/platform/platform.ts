import type { ResolvedMcpConfig } from '../../config/resolve-servers.js';
import type { ReadLayers, ReadLayersOptions } from '../../config/settings/layer.js';
import type { McpServerConfigForProcessTransport } from '../../mcp/types.js';
import type { StartProgram } from '../../mcp/upstream/upstream-transport.js';
import type { SessionKey } from '../../protocol/wire/session-store.js';
import type { RunCommand } from '../hooks/command-port.js';
import type { KnowledgeFiles } from '../knowledge/files.js';
import type { KnowledgePlaces } from '../knowledge/places.js';

/**
 * What the runtime needs from its environment. No other part of the runtime imports a `node:` module; a
 * test checks this. `node.ts` is for Node, `portable.ts` for environments without processes and files.
 */
export interface Platform {
  readonly pid: number | undefined;
  /** Allows any number of listeners on this signal without a warning. */
  expectListeners(signal: AbortSignal): void;
  /** The key under which the conversations of a directory are stored. */
  projectKey(directory: string): Promise<string>;
  /** The path of a transcript, as reported to hosts. */
  transcriptPath(key: SessionKey): string;
  /** Where an agent keeps what does not fit into its conversation. */
  placesOf(agent: {
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly projectKey: string;
    readonly sessionId: string;
  }): AgentPlaces;
  /**
   * The MCP servers of the options and of configuration files. Throws for errors that must not be ignored.
   */
  resolveServers(wanted: WantedServers): ResolvedMcpConfig;
  /** The settings of the options and of files, and the problems in them. */
  readSettings(wanted: ReadLayersOptions): ReadLayers;
  /** What belongs to the user rather than to a project. Absent: there are no files. */
  readonly userKnowledge?: (
    cwd: string,
    env: Readonly<Record<string, string | undefined>> | undefined,
  ) => UserKnowledge;
  /** The kind of machine, for the model: `linux`, `darwin`, `win32`. Absent: nobody can know. */
  readonly machine?: string;
  /** For hooks from the settings. Absent: there are no processes. */
  readonly runCommand?: RunCommand;
  /** Absent: there are no processes. */
  readonly startProgram?: StartProgram;
}

/** Directories of one conversation, the same as those of the CLI. */
export interface AgentPlaces {
  /** Results that are too long. */
  readonly toolResults: string;
  /** What tasks in the background have written. */
  readonly tasks: string;
  readonly plans: string;
}

/** Where the user's own memory, skills and commands are, and what the user has said of the working directory. */
export interface UserKnowledge extends Pick<KnowledgePlaces, 'isTrusted' | 'mayImportAnything'> {
  readonly files: KnowledgeFiles;
  readonly configDirectory: string;
  readonly home: string;
}

export interface WantedServers {
  readonly mcpServers: Record<string, McpServerConfigForProcessTransport>;
  /** Which files are read. Absent: all. */
  readonly settingSources: readonly ('user' | 'project' | 'local')[] | undefined;
  readonly strictMcpConfig: boolean;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>> | undefined;
}
