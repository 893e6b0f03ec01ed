import { TenonError } from '../protocol/errors.js';
import type { McpPlace } from './places.js';

/** Something in a configuration that a person should know. Messages name things, never values of `env` or `headers`. */
export interface McpConfigProblem {
  /** An error keeps the server, or the whole file, from being used. */
  severity: 'error' | 'warning';
  place: McpPlace;
  message: string;
  file?: string | undefined;
  line?: number | undefined;
  server?: string | undefined;
  /** `command`, `args[0]`, `env.TOKEN`, … */
  field?: string | undefined;
  /** The variable that is not set. */
  variable?: string | undefined;
}

/** One line for a person: `.mcp.json:7: the server "github": …`. */
export function describeProblem({ file, line, message }: McpConfigProblem): string {
  const where = file === undefined ? 'options.mcpServers' : line === undefined ? file : `${file}:${line}`;
  return `${where}: ${message}`;
}

/** With `strictMcpConfig` any error in the configuration is this one. */
export class McpConfigError extends TenonError {
  readonly problems: readonly McpConfigProblem[];

  constructor(problems: readonly McpConfigProblem[]) {
    super(
      'INVALID_MCP_CONFIG',
      `The MCP configuration has ${problems.length === 1 ? 'an error' : `${problems.length} errors`}:\n` +
        problems.map((problem) => `  ${describeProblem(problem)}`).join('\n'),
    );
    this.problems = problems;
  }
}
