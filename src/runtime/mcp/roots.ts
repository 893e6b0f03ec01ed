/** A directory as MCP names it. */
export function rootOf(directory: string): { uri: string; name: string } {
  // Elsewhere a backslash is an ordinary character of a name.
  const isWindows = /^(?:[a-zA-Z]:|\\\\)/.test(directory);
  const path = (isWindows ? directory.replaceAll('\\', '/') : directory).replace(/(?<=.)\/+$/, '');
  return { uri: fileUrl(path), name: path.slice(path.lastIndexOf('/') + 1) };
}

/** As Node's `pathToFileURL`, for `/home/me`, `C:/Users/me` and `//server/share`. */
function fileUrl(path: string): string {
  const escaped = path.replaceAll(/[%?#\\\n\r\t]/g, encodeURIComponent);
  if (path.startsWith('//')) return new URL(`file:${escaped}`).href;
  return new URL(`file://${path.startsWith('/') ? '' : '/'}${escaped}`).href;
}
