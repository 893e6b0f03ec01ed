import { TenonError } from '../../protocol/base/errors.js';
import type { ApprovalFilter } from '../host.js';
import type { HostApproval, HostQuestion } from '../host-messages.js';
import type { Approval } from '../storage/port/approvals.js';
import type { HostStorage } from '../storage/port/storage.js';
import { endable, Wakeup } from './wakeup.js';

export function approvalOf({ id, tenant, session, since, question }: Approval): HostApproval {
  return { id, tenant, session, since, ...(question as HostQuestion) };
}

type Filter = ApprovalFilter & { signal?: AbortSignal | undefined };

/** Who waits for questions. */
export class ApprovalReaders {
  readonly #storage: HostStorage;
  readonly #wakeups = new Set<Wakeup>();
  #isClosed = false;

  constructor(storage: HostStorage) {
    this.#storage = storage;
  }

  close(): void {
    this.#isClosed = true;
    for (const wakeup of this.#wakeups) wakeup.end();
  }

  read(filter: Filter): AsyncGenerator<HostApproval, void> {
    const wakeup = new Wakeup();
    return endable(this.#loop(filter, wakeup), wakeup);
  }

  async *#loop({ tenant, session, signal }: Filter, wakeup: Wakeup): AsyncGenerator<HostApproval, void> {
    if (this.#isClosed) throw new TenonError('CLOSED', 'The host is closed.');
    const unwatch = this.#storage.watch({ kind: 'approvals', tenant }, () => wakeup.wake());
    this.#wakeups.add(wakeup);
    wakeup.follow(signal);
    let told = new Set<string>();
    try {
      while (!wakeup.isOver) {
        const pending = new Set<string>();
        for (let after: string | undefined; ; ) {
          const page = await wakeup.until(this.#storage.approvals.list({ tenant, session, after }));
          for (const approval of page ?? []) {
            pending.add(approval.id);
            if (told.has(approval.id)) continue;
            if (wakeup.isOver) return;
            told.add(approval.id);
            yield approvalOf(approval);
          }
          after = page?.at(-1)?.id;
          if (after === undefined) break;
        }
        // Those that are answered are forgotten: a loop may go on for years.
        told = pending;
        await wakeup.next();
      }
    } finally {
      unwatch();
      wakeup.end();
      this.#wakeups.delete(wakeup);
    }
  }
}
