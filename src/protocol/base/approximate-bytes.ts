/** What an object or list costs beside its contents: brackets, colons, commas. */
const NODE_BYTES = 8;

/**
 * About how long a value would be as JSON, without writing it: the lengths of strings are known, so this costs as much
 * as there are nodes. Stops above `limit`, and so ends with values that contain themselves.
 */
export function approximateBytes(value: unknown, limit: number = Number.POSITIVE_INFINITY): number {
  const open: unknown[] = [value];
  let bytes = 0;
  while (open.length > 0 && bytes <= limit) {
    const next = open.pop();
    bytes += NODE_BYTES;
    if (typeof next === 'string') bytes += next.length;
    else if (ArrayBuffer.isView(next)) bytes += next.byteLength;
    else if (Array.isArray(next)) for (const item of next) open.push(item);
    else if (typeof next === 'object' && next !== null) {
      for (const key in next) {
        bytes += key.length;
        open.push((next as Record<string, unknown>)[key]);
      }
    }
  }
  return bytes;
}
