import type { ClientSettings } from '../../options/row.js';
import type { SecretValues } from '../../protocol/base/secret-values.js';
import type { Debug } from '../query/observers.js';

/** The settings of one conversation. */
export interface ConversationSettings extends ClientSettings {
  /**
   * Send `end_session` before the end of input, for hooks of the host that the agent then calls. The CLI calls none, and
   * takes a second longer to exit with it, so a program is asked only if it announces that it does.
   */
  endsSession: 'always' | 'if announced' | 'never';
  debug: Debug;
  /** The structure that the answers should have, if one was asked for. */
  outputSchema: Readonly<Record<string, unknown>> | undefined;
  /** Not to be shown, such as the values of servers' `env` and `headers`. */
  secrets: Pick<SecretValues, 'hide' | 'stream'>;
}
