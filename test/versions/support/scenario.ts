/** A scenario is written once and played on every version; where an older CLI cannot do it, the reason is data. */
import { describe, inject, it } from 'vitest';
import { isOlder } from '../../../src/client/launch/cli-versions.js';
import type { Cli } from './fetch-cli.js';

/** What versions before `before` do instead, and why. It is played and checked like the scenario itself. */
export interface Deviation {
  readonly before: string;
  readonly reason: string;
  play(cli: Cli): Promise<void>;
}

/** What the table needs to know of a test. */
export interface Played {
  readonly scenario: string;
  readonly version: string;
  /** Why this version does something else. */
  readonly reason?: string;
}

declare module 'vitest' {
  interface TaskMeta {
    played?: Played;
  }
}

/** With several deviations the first that fits is taken: list the oldest version first. */
export function scenario(
  name: string,
  play: (cli: Cli) => Promise<void>,
  deviations: readonly Deviation[] = [],
): void {
  describe(name, () => {
    for (const cli of inject('clis')) {
      const { version } = cli;
      const deviation = deviations.find(({ before }) => isOlder(version, before));
      const title = deviation === undefined ? version : `${version}: ${deviation.reason}`;
      it(title, async ({ task }) => {
        task.meta.played = {
          scenario: name,
          version,
          ...(deviation === undefined ? {} : { reason: deviation.reason }),
        };
        await (deviation ?? { play }).play(cli);
      });
    }
  });
}
