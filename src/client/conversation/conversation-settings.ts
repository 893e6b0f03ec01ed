import type { ClientSettings } from '../../options/row.js';
import type { Debug } from '../query/observers.js';

/** The settings of one conversation. */
export interface ConversationSettings extends ClientSettings {
  /**
   * Send `end_session` before the end of input. The CLI does not need it, and takes a second longer to exit
   * with it.
   */
  endsSession: boolean;
  debug: Debug;
  /** Removes secrets, such as the values of `env` and `headers`, from a text. */
  hide: (text: string) => string;
}
