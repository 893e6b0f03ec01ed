import type { SDKMessage } from '../../protocol/wire/messages/index.js';
import type { HostMessage } from '../host-messages.js';
import { promptMessage, resumed } from '../notices.js';
import type { Lease } from '../storage/port/conversation.js';
import type { InboxEntry } from '../storage/port/inbox.js';
import type { HostStorage } from '../storage/port/storage.js';
import type { EventLog } from './event-log.js';
import { resultsIn, toldBefore } from './look-back.js';
import type { Told } from './told.js';

/** What readers are told of one prompt: each thing once, whichever worker has told the beginning. */
export class Telling {
  readonly #storage: HostStorage;
  readonly #lease: Lease;
  readonly #log: EventLog;
  /** Results that they know from before the turn was put away. */
  #shown: ReadonlySet<string> = new Set();

  constructor(storage: HostStorage, lease: Lease, log: EventLog) {
    this.#storage = storage;
    this.#lease = lease;
    this.#log = log;
  }

  /**
   * Tells the prompt, and again what was told of it if that is void. True: the turn was put away in order, and goes on where
   * readers are.
   */
  async begin(prompt: InboxEntry, told: Told | undefined): Promise<boolean> {
    const isLost = this.lost(prompt);
    const before =
      told === undefined || isLost ? undefined : await toldBefore(this.#storage, this.#lease, prompt.id);
    if (before?.isVoid === false) {
      this.#shown = before.results;
      return true;
    }
    this.#log.add(promptMessage(prompt) as HostMessage, ...(told?.messages ?? []));
    return false;
  }

  /** If the worker before was lost, nobody knows what it has told: it is void. */
  lost(prompt: InboxEntry): boolean {
    const isLost = this.#lease.crashes > 0;
    if (isLost) this.#log.add(resumed(prompt.id, 'Its worker was lost.'));
    return isLost;
  }

  add(message: SDKMessage): Promise<void> {
    const results = this.#shown.size === 0 ? [] : resultsIn(message);
    const isShown = results.length > 0 && results.every((id) => this.#shown.has(id));
    // How far a prompt has come is said by the prompt itself, and by `done`.
    if (!isShown && (message.type as string) !== 'command_lifecycle') this.#log.add(message);
    return this.#log.hasRoom();
  }
}
