/** One page of a list. As in the official SDK, a limit of 0 means no limit. */
export function page<Item>(
  items: readonly Item[],
  { limit, offset }: { limit?: number | undefined; offset?: number | undefined },
): Item[] {
  const start = offset !== undefined && offset > 0 ? offset : 0;
  return items.slice(start, limit !== undefined && limit > 0 ? start + limit : undefined);
}
