import { clock } from '../../protocol/base/clock.js';

export interface Surroundings {
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  /** The working directory is in a git repository. */
  readonly isRepository: boolean;
  /** Undefined where nobody can know. */
  readonly machine: string | undefined;
}

/** Where the agent works, for the system prompt. The day is that of the start: a prompt that changes is not cached. */
export function environmentText({ cwd, additionalDirectories, isRepository, machine }: Surroundings): string {
  const lines = [
    `Working directory: ${cwd}`,
    ...additionalDirectories.map((directory) => `Further directory: ${directory}`),
    `Git repository: ${isRepository ? 'yes' : 'no'}`,
    ...(machine === undefined ? [] : [`Platform: ${machine}`]),
    `Date: ${new Date(clock.now()).toISOString().slice(0, 10)}`,
  ];
  return `Where you work:\n${lines.map((line) => `- ${line}`).join('\n')}`;
}
