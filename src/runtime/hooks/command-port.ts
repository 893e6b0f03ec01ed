/** Runs a command from the settings. Absent where no programs can be started. */
export type RunCommand = (command: string, run: CommandRun) => Promise<CommandOutcome>;

export interface CommandRun {
  /** Written to its stdin. */
  readonly input: string;
  /** Also passed in the variable CLAUDE_PROJECT_DIR. */
  readonly cwd: string;
  /** Default: the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Ends the program and everything it has started. */
  readonly signal: AbortSignal;
}

export interface CommandOutcome {
  /** null: ended by a signal. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}
