import { ControlFault } from '../../protocol/channel/control-channel.js';
import type { PermissionMode } from '../../protocol/permissions/permissions.js';
import type { ConversationSettings } from '../settings/conversation-settings.js';
import type { RuntimeFlags } from '../start/flags.js';

const MODES: ReadonlySet<unknown> = new Set<PermissionMode>([
  'default',
  'acceptEdits',
  'bypassPermissions',
  'plan',
  'dontAsk',
]);

/** Which modes a conversation may be in. */
export class Modes {
  readonly #wanted: PermissionMode;
  readonly #mayBypass: boolean;
  readonly #bypassDisabledBy: string | undefined;

  constructor(
    { permissionMode, allowBypass }: Pick<RuntimeFlags, 'permissionMode' | 'allowBypass'>,
    settings: Pick<ConversationSettings['permissions'], 'defaultMode' | 'bypassDisabledBy'>,
  ) {
    this.#wanted = permissionMode ?? settings.defaultMode ?? 'default';
    this.#mayBypass = allowBypass || this.#wanted === 'bypassPermissions';
    this.#bypassDisabledBy = settings.bypassDisabledBy;
  }

  /** The mode to start with; `warn` is called if it is not the one that was asked for. */
  start(warn: (text: string) => void): PermissionMode {
    if (this.#wanted === 'bypassPermissions' && this.#bypassDisabledBy !== undefined) {
      warn(
        `permissionMode "bypassPermissions" is disabled in ${this.#bypassDisabledBy}: the mode is "default".`,
      );
      return 'default';
    }
    if (this.#wanted === 'auto') {
      warn('permissionMode "auto" needs the safety check of the Claude Code CLI: the mode is "default".');
      return 'default';
    }
    return this.#wanted;
  }

  get mayBypass(): boolean {
    return this.#mayBypass && this.#bypassDisabledBy === undefined;
  }

  /** Throws for an unknown mode, and for `bypassPermissions` unless the conversation was started to permit it. */
  checked(mode: unknown): PermissionMode {
    if (!MODES.has(mode)) throw new ControlFault('invalid_mode', `Invalid permission mode: ${mode}`);
    if (mode === 'bypassPermissions' && this.#bypassDisabledBy !== undefined) {
      throw new ControlFault(
        'bypass_disabled',
        `Cannot set permission mode to bypassPermissions: it is disabled in ${this.#bypassDisabledBy}.`,
      );
    }
    if (mode === 'bypassPermissions' && !this.#mayBypass) {
      throw new ControlFault(
        'bypass_not_launched',
        'Cannot set permission mode to bypassPermissions: the conversation was not started with allowDangerouslySkipPermissions.',
      );
    }
    return mode as PermissionMode;
  }
}
