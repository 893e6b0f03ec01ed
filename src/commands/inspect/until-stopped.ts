import { once } from 'node:events';

/** Until Ctrl-C, or a signal that means the same. */
export async function untilStopped(): Promise<void> {
  const enough = new AbortController();
  const { signal } = enough;
  const asked = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((name) => once(process, name, { signal }));
  await Promise.race(asked);
  for (const each of asked) each.catch(() => {});
  enough.abort();
}
