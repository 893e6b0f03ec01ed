import type { ApprovalFilter } from '../host.js';
import type { HostApproval, HostQuestion } from '../host-messages.js';
import type { Approval } from '../storage/port/approvals.js';
import type { HostStorage } from '../storage/port/storage.js';
import { Wakeup } from './wakeup.js';

export function approvalOf({ id, tenant, session, since, question }: Approval): HostApproval {
  return { id, tenant, session, since, ...(question as HostQuestion) };
}

/** Who waits for questions. */
export class ApprovalReaders {
  readonly #storage: HostStorage;
  readonly #wakeups = new Set<Wakeup>();

  constructor(storage: HostStorage) {
    this.#storage = storage;
  }

  close(): void {
    for (const wakeup of this.#wakeups) wakeup.end();
  }

  async *read({
    tenant,
    session,
    signal,
  }: ApprovalFilter & { signal?: AbortSignal | undefined }): AsyncGenerator<HostApproval, void> {
    const wakeup = new Wakeup(signal);
    this.#wakeups.add(wakeup);
    const unwatch = this.#storage.watch({ kind: 'approvals', tenant }, () => wakeup.wake());
    let told = new Set<string>();
    try {
      while (!wakeup.isOver) {
        const pending = new Set<string>();
        for await (const approval of this.#pending({ tenant, session })) {
          pending.add(approval.id);
          if (told.has(approval.id)) continue;
          if (wakeup.isOver) return;
          told.add(approval.id);
          yield approvalOf(approval);
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

  async *#pending(filter: ApprovalFilter): AsyncGenerator<Approval, void> {
    for (let after: string | undefined; ; ) {
      const page = await this.#storage.approvals.list({ ...filter, after });
      yield* page;
      if (page.length === 0) return;
      after = page.at(-1)?.id;
    }
  }
}
