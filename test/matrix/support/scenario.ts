/** What a scenario is made of, and what is left of it after a run. */
import type * as tenon from '../../../src/index.js';
import type { McpServerConfig, Options, Query, SDKMessage, SDKUserMessage } from '../../../src/index.js';
import type { AgentRuntime } from '../../../src/runtime/index.js';
import type {
  Script,
  ScriptedMessagesApi,
  ScriptedMessagesApiOptions,
  ScriptedRequest,
} from '../../../src/testing/index.js';
import type { Sandbox } from '../../support/real-cli.js';
import type { Journal } from './journal.js';

/** The part of an SDK that scenarios use. Both SDKs have it, with the same shapes. */
export type Sdk = Pick<typeof tenon, 'query' | 'tool' | 'createSdkMcpServer' | 'AbortError'>;

export interface Client {
  readonly name: string;
  load(): Promise<Sdk>;
}

export interface Agent {
  readonly name: string;
  readonly executable: string;
  /** The agent as a part of this process, in place of the executable; one value for one run of a scenario. */
  embed?(api: ScriptedMessagesApi, env: Readonly<Record<string, string>>): AgentRuntime;
}

/** One field of the matrix: a client that drives an agent. */
export interface Cell {
  readonly client: Client;
  readonly agent: Agent;
}

export interface Call {
  readonly name: string;
  readonly input: unknown;
}

/** What the functions of a scenario find around them during one run. */
export interface Context {
  readonly sdk: Sdk;
  readonly box: Sandbox;
  readonly api: ScriptedMessagesApi;
  readonly abortController: AbortController;
  /** What the consumer has read so far. */
  readonly messages: Journal<SDKMessage>;
  /** What the host's functions (tools, hooks, callbacks) were called with, as they note it. */
  readonly calls: Journal<Call>;
  note(name: string, input?: unknown): void;
  /** The session of `earlier`, when there was one, and what the consumer read of it. */
  readonly earlierSession: string;
  readonly earlierMessages: readonly SDKMessage[];
  readonly child: {
    readonly hasExited: boolean;
    /** What the client has written so far. */
    readonly stdin: readonly JsonObject[];
    kill(signal: NodeJS.Signals): void;
  };
  /** To be done after the run, last one first. */
  defer(cleanUp: () => unknown): void;
}

export interface Scenario {
  /** A phrase that completes "a query with …" or tells what happens; unique in the matrix. */
  readonly name: string;
  /** Recorded transcripts, sections of the protocol, pains and requirements that it stands for. */
  readonly cites: string;
  readonly script: Script;
  readonly api?: ScriptedMessagesApiOptions;
  /** "go" unless given. */
  readonly prompt?: string | ((context: Context) => AsyncIterable<SDKUserMessage>);
  /** In-process and other servers, made anew for each run: the official SDK cannot use a server value twice. */
  servers?(context: Context): Record<string, McpServerConfig> | Promise<Record<string, McpServerConfig>>;
  options?(context: Context): Options;
  env?: Record<string, string>;
  /** The client starts the process itself; then nothing of what passes between them is seen. */
  readonly unseen?: true;
  /** A query that runs to its end before, in the same place. It is not compared. */
  readonly earlier?: {
    /** Several: each one after the result of the one before. */
    readonly prompt: string | readonly string[];
    options?(context: Context): Options;
  };
  /** Runs beside the loop; what it returns is compared. */
  drive?(query: Query, context: Context): Promise<unknown>;
  /** The consumer leaves the loop after this message. */
  leaveAfter?(message: SDKMessage): boolean;
  /** Why it says nothing about Tenon's runtime, which is then not asked. */
  readonly claudeCodeOnly?: string;
  /** Why it says nothing about an agent that is no process. */
  readonly processOnly?: string;
  /** What must hold whoever the client is, and whoever the agent. */
  check?(outcome: Outcome): void;
  /** Where the order is not fixed by the agent, so that only the contents are compared. */
  readonly unordered?: readonly ('messages' | 'stdin' | 'model' | 'calls')[];
  /** What is left to chance, or to timing, in this scenario and therefore not compared. */
  readonly ignore?: readonly Place[];
  /** Paths of numbers that the agent leaves to timing. They must be there on both sides; how large they are is not compared. */
  readonly leftToTiming?: RegExp;
}

export type Place = 'argv' | 'env' | 'stdin' | 'messages' | 'error' | 'model' | 'driven' | 'calls' | 'exit';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export interface Thrown {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  /** An instance of the client's `AbortError`. */
  readonly aborted?: true;
  /** `query()` itself threw, not the loop. */
  readonly atOnce?: true;
}

export interface Outcome {
  readonly cell: Cell;
  readonly messages: readonly SDKMessage[];
  readonly error: Thrown | undefined;
  readonly argv: readonly string[];
  /** What the client added to the environment that it was given. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: readonly JsonObject[];
  readonly stdout: readonly JsonObject[];
  readonly stderr: string;
  readonly requests: readonly ScriptedRequest[];
  readonly calls: readonly Call[];
  readonly driven: unknown;
  readonly exit: { readonly code: number | null; readonly signal: string | null };
  /** Texts that differ from run to run, with what stands for them. */
  readonly aliases: readonly (readonly [text: string, alias: string])[];
}
