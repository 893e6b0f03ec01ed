import { clock } from '../../../protocol/base/clock.js';
import { checkedCount, checkedDuration, checkedName, checkedRef, crashReason } from '../checked.js';
import type { Lease } from '../port/conversation.js';
import type { AcquireOptions, ClaimOptions, LeaseStorage } from '../port/leases.js';
import type { Conversation, Conversations } from './conversations.js';

export function memoryLeases(conversations: Conversations): LeaseStorage {
  return {
    acquire: async (given, options) => {
      conversations.checkOpen();
      const conversation = conversations.get(checkedRef(given));
      if (conversation === undefined) return { refused: 'unknown' };
      expire(conversations, conversation, options);
      if (conversation.state === 'parked') return { refused: 'parked', reason: conversation.reason ?? '' };
      if (conversation.owner === undefined) return { lease: take(conversations, conversation, options) };
      return { refused: 'held', forMs: Math.max(0, conversation.leaseUntil - clock.monotonic()) };
    },
    claim: async (options) => {
      conversations.checkOpen();
      for (const each of [...conversations.running]) expire(conversations, each, options);
      return nextOnes(conversations, options).map((each) => take(conversations, each, options));
    },
    renew: async (leases, { ttlMs }) => {
      conversations.checkOpen();
      const until = clock.monotonic() + checkedDuration('ttlMs', ttlMs);
      return leases.filter((lease) => {
        const conversation = conversations.get(lease);
        if (conversation?.owner === undefined || conversation.fence !== lease.fence) return true;
        conversation.leaseUntil = until;
        return false;
      });
    },
  };
}

/** Gives back what a worker holds whose time is over. */
function expire(
  conversations: Conversations,
  conversation: Conversation,
  { maxCrashes }: AcquireOptions,
): void {
  if (conversation.owner === undefined || conversation.leaseUntil > clock.monotonic()) return;
  conversation.crashes += 1;
  const isParked = conversation.crashes >= (maxCrashes ?? Number.POSITIVE_INFINITY);
  conversation.reason = isParked ? crashReason(conversation.crashes, conversation.owner) : undefined;
  conversation.owner = undefined;
  conversation.readyAt = clock.monotonic();
  conversations.setState(conversation, isParked ? 'parked' : 'queued');
}

function take(
  conversations: Conversations,
  conversation: Conversation,
  { owner, ttlMs }: AcquireOptions,
): Lease {
  const previous = conversation.fence;
  conversation.owner = checkedName('owner', owner);
  conversation.leaseUntil = clock.monotonic() + checkedDuration('ttlMs', ttlMs);
  conversation.fence = conversations.nextFence();
  conversations.served.set(conversation.ref.tenant, conversation.fence);
  conversation.changed = clock.now();
  conversations.setState(conversation, 'running');
  return { ...conversation.ref, fence: conversation.fence, owner, previous, crashes: conversation.crashes };
}

/**
 * The first of each tenant, then the second of each, and so on, where those that run count as the first ones. Among equals
 * comes the tenant whose last turn is longest ago.
 */
function nextOnes({ queued, running, served }: Conversations, options: ClaimOptions): Conversation[] {
  const { running: most = Number.POSITIVE_INFINITY, perTenant = Number.POSITIVE_INFINITY } = options;
  const count = Math.min(checkedCount('count', options.count), most - running.size);
  if (count <= 0) return [];
  const isSuspect = ({ crashes }: Conversation): boolean =>
    crashes >= (options.suspects?.crashes ?? Infinity);
  let suspects = options.suspects?.count ?? 0;
  const busy = new Map<string, number>();
  for (const { ref } of running) busy.set(ref.tenant, (busy.get(ref.tenant) ?? 0) + 1);
  const offered: { conversation: Conversation; turn: number }[] = [];
  for (const [tenant, waiting] of queued) {
    let turn = busy.get(tenant) ?? 0;
    const last = Math.min(turn + count, perTenant);
    for (const conversation of waiting) {
      if (turn >= last) break;
      if (conversation.readyAt > clock.monotonic() || (suspects === 0 && isSuspect(conversation))) continue;
      turn += 1;
      offered.push({ conversation, turn });
    }
  }
  const lastOf = ({ ref }: Conversation): number => served.get(ref.tenant) ?? 0;
  offered.sort(
    ({ conversation: a, turn }, { conversation: b, turn: other }) =>
      turn - other || lastOf(a) - lastOf(b) || a.readyAt - b.readyAt,
  );
  const chosen = offered.filter(({ conversation }) => {
    if (!isSuspect(conversation)) return true;
    suspects -= 1;
    return suspects >= 0;
  });
  return chosen.slice(0, count).map(({ conversation }) => conversation);
}
