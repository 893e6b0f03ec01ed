import { LIMITS } from '../../protocol/base/limits.js';
import type { Host } from '../host.js';
import type { HostApproval } from '../host-messages.js';
import { eventText } from './event-stream.js';
import { type Exchange, givenName, json } from './exchange.js';
import { givenAnswer, isSuggested, permissionIn } from './given-answer.js';
import { notFound, Problem } from './problems.js';
import { givenLimit } from './session-routes.js';

interface Whose {
  tenant: string;
  session: string | undefined;
}

export async function readApprovals(exchange: Exchange): Promise<Response> {
  const { host, query, request } = exchange;
  const filter = filterOf(exchange);
  const isLive = /\btext\/event-stream\b/i.test(request.headers.get('accept') ?? '');
  const limit = givenLimit(query.get('limit'));
  const after = query.get('after');
  const approvals = await host.pendingApprovals({
    ...filter,
    limit: isLive ? 1 : limit,
    after: after === null ? undefined : givenName('approval', after),
  });
  if (!isLive) return json({ approvals });
  async function* source(signal: AbortSignal): AsyncGenerator<string, void> {
    for await (const approval of host.approvals({ ...filter, signal })) yield eventText(approval);
  }
  // Who comes back is told all that wait.
  return exchange.stream(source, () => ': come back\n\n');
}

function filterOf(exchange: Exchange): Whose {
  const session = exchange.query.get('session');
  const { tenant, onlySession } = exchange;
  return { tenant, session: session === null ? onlySession : exchange.refOf(session).session };
}

export async function answerApproval(exchange: Exchange): Promise<Response> {
  const { host, tenant, onlySession: session, names } = exchange;
  const answer = givenAnswer(await exchange.body());
  const id = names.approval ?? '';
  const permission = permissionIn(answer);
  if (permission?.behavior === 'allow' && permission.updatedPermissions !== undefined) {
    const approval = await pendingApproval(host, { tenant, session }, id);
    const suggestions = approval.kind === 'permission' ? approval.suggestions : undefined;
    if (!isSuggested(permission.updatedPermissions, suggestions)) {
      throw new Problem(
        403,
        '`updatedPermissions` may only have what is among the `suggestions` of the question.',
      );
    }
  }
  const outcome = await host.answer(id, answer, { tenant, session });
  // Not whether it is somebody else's.
  if (outcome === 'gone') throw notFound();
  if (outcome === 'already') throw new Problem(409, 'Somebody has answered this already.');
  return json({ outcome });
}

async function pendingApproval(host: Host, whose: Whose, id: string): Promise<HostApproval> {
  let after: string | undefined;
  // A question that is answered meanwhile makes the list begin again: the end is not certain to come.
  for (let read = 0; read < LIMITS.hostPageMost; read += LIMITS.hostPage) {
    const page = await host.pendingApprovals({ ...whose, after, limit: LIMITS.hostPage });
    const found = page.find((approval) => approval.id === id);
    if (found !== undefined) return found;
    if (page.length < LIMITS.hostPage) break;
    after = page.at(-1)?.id;
  }
  throw notFound();
}
