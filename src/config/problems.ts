import { TenonError } from '../protocol/base/errors.js';
import type { McpPlace } from './places.js';

/** A problem in a configuration. Messages name things, never values of `env` or `headers`. */
export interface McpConfigProblem {
  /** An error prevents the use of the server, or of the whole file. */
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

/** Thrown for any error in the configuration with `strictMcpConfig`. */
export class McpConfigError extends TenonError {
  static override readonly className = 'McpConfigError';
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
