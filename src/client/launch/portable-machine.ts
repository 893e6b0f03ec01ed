import { OptionError } from '../../protocol/base/errors.js';
import type { Machine } from './machine.js';

/** No processes and no files: agents run in this process, or behind a custom transport. */
export const portableMachine: Machine = {
  launchCli: ({ options }) => {
    throw new OptionError(
      'runtime',
      options.runtime,
      'The Claude Code CLI cannot be started: there are no processes here. Give `runtime: embedded({ model })`.',
    );
  },
  openKept: ({ options, plan, open }) => {
    if (options.sessionStore === undefined) return open(plan);
    throw new OptionError(
      'sessionStore',
      options.sessionStore,
      '`sessionStore` cannot be used with `transport` here: that needs files, and there are none.',
    );
  },
  readConfiguration: () => [],
  openRecorder: (record) => {
    throw new OptionError(
      'record',
      record,
      '`record` needs files, and there are none here. Give `onFrame`, and keep the frames elsewhere.',
      'NOT_SUPPORTED',
    );
  },
};
