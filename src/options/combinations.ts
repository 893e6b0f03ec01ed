import { OptionError } from '../protocol/base/errors.js';
import type { GivenOptions } from './row.js';

/** Checks options that are each valid but cannot be combined. */
export function checkCombinations(options: GivenOptions): void {
  if (options.canUseTool && options.permissionPromptToolName) {
    throw new OptionError(
      'permissionPromptToolName',
      options.permissionPromptToolName,
      'Give `canUseTool` or `permissionPromptToolName`, not both: each decides who is asked for permission.',
    );
  }
  if (options.runtime && options.transport) {
    throw new OptionError(
      'transport',
      options.transport,
      'Give `runtime` or `transport`, not both: each determines how the agent is reached.',
    );
  }
  checkHermetic(options);
  checkStore(options);
}

function checkHermetic(options: GivenOptions): void {
  const { hermetic, settingSources } = options;
  if (!hermetic) return;
  if (settingSources !== undefined && settingSources.length > 0) {
    throw new OptionError(
      'settingSources',
      settingSources,
      'Give `hermetic` or `settingSources`, not both: a hermetic query does not read the settings of this machine.',
    );
  }
  const kept = (['resume', 'continue'] as const).find((name) => options[name]);
  const isCli = options.runtime === undefined && options.transport === undefined;
  if (kept !== undefined && isCli && options.sessionStore === undefined) {
    throw new OptionError(
      kept,
      options[kept],
      `Give \`hermetic\` or \`${kept}\`, not both: a hermetic query with the CLI stores no conversations and finds none. ` +
        'To continue conversations, give a `sessionStore`.',
    );
  }
}

function checkStore({ sessionStore, persistSession, enableFileCheckpointing }: GivenOptions): void {
  if (sessionStore === undefined) return;
  if (typeof sessionStore.append !== 'function' || typeof sessionStore.load !== 'function') {
    throw new OptionError(
      'sessionStore',
      sessionStore,
      'The option `sessionStore` must have the methods append() and load().',
    );
  }
  if (persistSession === false) {
    throw new OptionError(
      'persistSession',
      persistSession,
      'The option `sessionStore` cannot be used with `persistSession: false`: the store gets a copy of what the ' +
        'agent writes. To keep no files, set `env.CLAUDE_CONFIG_DIR` to a temporary directory.',
    );
  }
  if (enableFileCheckpointing) {
    throw new OptionError(
      'enableFileCheckpointing',
      enableFileCheckpointing,
      'The option `enableFileCheckpointing` cannot be used with `sessionStore`: file checkpoints are not in the store, ' +
        'so rewindFiles() would fail after the conversation was restored.',
    );
  }
}
