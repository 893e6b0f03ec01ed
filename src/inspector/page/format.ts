/* Numbers and texts, short enough for a row. */

/** `4 ms`, `1.24 s`, `2 min 05 s`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1) return milliseconds <= 0 ? '0 ms' : '< 1 ms';
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 9.995) return `${seconds.toFixed(2)} s`;
  if (seconds < 99.95) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(Math.round(seconds) / 60);
  const rest = String(Math.round(seconds) % 60).padStart(2, '0');
  return minutes < 60 ? `${minutes} min ${rest} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Seconds since the start, for columns: `0.412`. */
export function clockTime(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}

/** `410`, `18.2k`, `1.4M`. */
export function short(count: number): string {
  if (count < 1000) return String(Math.round(count));
  if (count < 999_500) return `${trimmed(count / 1000)}k`;
  return `${trimmed(count / 1_000_000)}M`;
}

function trimmed(value: number): string {
  return value < 100 ? value.toFixed(1).replace(/\.0$/, '') : String(Math.round(value));
}

/** `12,480`. */
export function whole(count: number): string {
  return Math.round(count).toLocaleString('en-US');
}

/** `$0.04`; small amounts keep two digits that mean something. */
export function dollars(amount: number | undefined): string {
  if (amount === undefined) return 'price unknown';
  if (amount === 0) return '$0';
  return amount >= 0.1 ? `$${amount.toFixed(2)}` : `$${Number(amount.toPrecision(2))}`;
}

/** `3 calls`, `1 call`. */
export function count(number: number, noun: string): string {
  return `${whole(number)} ${noun}${number === 1 ? '' : 's'}`;
}

export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** The server and the name of a tool, of `mcp__shop__stock`. */
export function toolParts(name: string): { readonly server: string | undefined; readonly tool: string } {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/s.exec(name) ?? [];
  return tool === undefined ? { server: undefined, tool: name } : { server, tool };
}

/** A value in one line. */
export function inline(value: unknown, most = 160): string {
  if (value === undefined) return '';
  return cut(typeof value === 'string' ? value : JSON.stringify(value), most);
}
