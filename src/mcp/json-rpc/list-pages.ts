import { clock } from '../../protocol/base/clock.js';
import { LISTED_FIELDS, ListBounds } from '../list-bounds.js';
import { type JsonRpcPeer, type JsonRpcRequestOptions, JsonRpcTimeout } from './peer.js';

/** All pages of a list, within one time limit and the bounds of a list. */
export async function listPages<Listed>(
  peer: Pick<JsonRpcPeer, 'request'>,
  server: string,
  method: string,
  options: JsonRpcRequestOptions = {},
): Promise<Listed[]> {
  const bounds = new ListBounds(server, method);
  const field = LISTED_FIELDS[method] ?? '';
  const cursors = new Set<unknown>();
  const { timeoutMs = 0 } = options;
  const deadline = clock.monotonic() + timeoutMs;
  const pages: Listed[][] = [];
  let cursor: unknown;
  do {
    cursors.add(cursor);
    const remaining = timeoutMs > 0 ? deadline - clock.monotonic() : 0;
    if (timeoutMs > 0 && remaining <= 0) throw new JsonRpcTimeout(timeoutMs);
    const params = cursor === undefined ? undefined : { cursor };
    const page = await peer.request(method, params, { ...options, timeoutMs: remaining });
    pages.push(bounds.take<Listed>(page, field));
    cursor = page.nextCursor ?? undefined;
    if (cursor !== undefined && cursors.has(cursor)) {
      throw new Error(
        `The pages of ${method} go round in circles: the cursor ${JSON.stringify(cursor)} came twice.`,
      );
    }
  } while (cursor !== undefined);
  return pages.flat();
}
