import { clock, type Timer } from '../../protocol/base/clock.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { HostSettings } from '../host-options.js';
import type { Lease } from '../storage/port/conversation.js';
import type { Run } from './run.js';

/** Finds conversations to run, runs as many as it may, and keeps their leases alive: the engine of this process. */
export class LocalEngine {
  readonly #settings: HostSettings;
  readonly #newRun: (lease: Lease) => Run;
  readonly #runs = new Set<Run>();
  #isStopped = false;
  #isClaiming = false;
  #isWanted = false;
  #wake: () => void = () => {};
  #hasProblem = false;
  #unwatch: () => void = () => {};
  #looking: Timer | undefined;
  #renewing: Timer | undefined;
  #onIdle: () => void = () => {};

  constructor(settings: HostSettings, newRun: (lease: Lease) => Run) {
    this.#settings = settings;
    this.#newRun = newRun;
  }

  get running(): number {
    return this.#runs.size;
  }

  start(): void {
    const { storage, ttlMs } = this.#settings;
    this.#unwatch = storage.watch({ kind: 'queue' }, () => this.#look());
    this.#looking = clock.setInterval(() => this.#look(), LIMITS.hostClaimMs);
    this.#renewing = clock.setInterval(() => void this.#renew(), ttlMs / 3);
    void this.#work();
    this.#look();
  }

  /** Takes on no more work. */
  stop(): void {
    this.#isStopped = true;
    this.#unwatch();
    clock.clearInterval(this.#looking);
    this.#wake();
  }

  /** Resolves when nothing runs any more. */
  async idle(): Promise<void> {
    while (this.#isClaiming || this.#runs.size > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
    clock.clearInterval(this.#renewing);
  }

  /** Cuts off what runs; it goes on elsewhere. */
  cutOff(reason: string): void {
    for (const run of this.#runs) run.stop(reason);
  }

  #look(): void {
    this.#isWanted = true;
    this.#wake();
  }

  /**
   * One claim at a time; what is queued meanwhile is looked for once more. It is one loop, so that all turns run in the context of
   * whoever has made the host: what a sender has in its `AsyncLocalStorage`, such as a user, is not that of the next tenant.
   */
  async #work(): Promise<void> {
    while (!this.#isStopped) {
      if (!this.#isWanted) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
      this.#isClaiming = true;
      await this.#claim();
      this.#isClaiming = false;
      this.#onIdle();
    }
  }

  async #claim(): Promise<void> {
    const { storage, owner, ttlMs, running, perTenant, maxCrashes } = this.#settings;
    // The last try of a conversation is made beside no other one's: whichever is the reason takes none along.
    const crashes = Math.max(1, maxCrashes - 1);
    for (let isMore = true; isMore && !this.#isStopped; ) {
      this.#isWanted = false;
      const count = Math.min(running - this.#runs.size, LIMITS.hostClaimAtOnce);
      // Every run that ends looks again.
      if (count <= 0) return;
      try {
        const isFree = ![...this.#runs].some(({ lease }) => lease.crashes >= crashes);
        const suspects = { crashes, count: isFree ? 1 : 0 };
        const leases = await storage.leases.claim({ owner, ttlMs, count, perTenant, suspects });
        this.#hasProblem = false;
        for (const lease of leases) this.#run(lease);
        // There may be more; what a suspect was in the way of is seen once it is taken.
        const hasSuspect = leases.some((lease) => lease.crashes >= crashes);
        isMore = leases.length === count || hasSuspect || this.#isWanted;
      } catch (error) {
        // Once, until it works again: a database that is away is asked every second.
        if (!this.#hasProblem) this.#settings.problem({ during: 'the search for work', error });
        this.#hasProblem = true;
        return;
      }
    }
  }

  #run(lease: Lease): void {
    const run = this.#newRun(lease);
    this.#runs.add(run);
    // The program may have been told to end while the claim was under way.
    if (this.#isStopped) run.stop('The program was told to end.');
    void run.perform().finally(() => {
      this.#runs.delete(run);
      this.#onIdle();
      this.#look();
    });
  }

  async #renew(): Promise<void> {
    const { storage, ttlMs } = this.#settings;
    const runs = [...this.#runs];
    if (runs.length === 0) return;
    try {
      const leases = runs.map(({ lease }) => lease);
      const lost = new Set((await storage.leases.renew(leases, { ttlMs })).map(({ fence }) => fence));
      for (const run of runs) if (lost.has(run.lease.fence) && this.#runs.has(run)) run.lose();
    } catch (error) {
      // Not yet lost: the fence decides, and the next round comes before the lease is over.
      this.#settings.problem({ during: 'the renewal of leases', error });
    }
  }
}
