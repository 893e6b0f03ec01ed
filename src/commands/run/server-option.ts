import type { McpServerConfig } from '../../index.js';
import { OptionError } from '../../index.js';
import { messageOf } from '../../protocol/base/errors.js';
import { quotedWords } from '../arguments/quoted-words.js';

/** `--server name=…`: a URL, a command with its arguments, or the configuration itself as JSON. */
export function readServers(given: readonly string[]): Record<string, McpServerConfig> {
  const servers: Record<string, McpServerConfig> = {};
  for (const text of given) {
    const [, name, value] = /^([a-zA-Z0-9_-]+)=(.+)$/s.exec(text) ?? [];
    if (name === undefined || value === undefined)
      throw refused(text, 'it must have the form <name>=<command or URL>.');
    if (Object.hasOwn(servers, name)) throw refused(text, `there is already a server named "${name}".`);
    servers[name] = configOf(text, value.trim());
  }
  return servers;
}

function configOf(text: string, value: string): McpServerConfig {
  if (value.startsWith('{')) return fromJson(text, value);
  if (/^https?:\/\//.test(value)) return { type: 'http', url: checkedUrl(text, value) };
  const [, sse] = /^sse:(https?:\/\/.*)$/.exec(value) ?? [];
  if (sse !== undefined) return { type: 'sse', url: checkedUrl(text, sse) };
  // No shell is started.
  const words = quotedWords(value);
  if (words === undefined) throw refused(text, 'a quote is not closed.');
  const [command, ...args] = words;
  if (command === undefined) throw refused(text, 'the command is empty.');
  return { type: 'stdio', command, args };
}

function fromJson(text: string, value: string): McpServerConfig {
  try {
    return JSON.parse(value);
  } catch (error) {
    throw refused(text, `the JSON cannot be read: ${messageOf(error)}.`);
  }
}

function checkedUrl(text: string, value: string): string {
  if (URL.canParse(value)) return value;
  throw refused(text, `"${value}" is not a URL.`);
}

function refused(value: string, reason: string): OptionError {
  return new OptionError(
    '--server',
    value,
    `--server "${value}": ${reason} Examples: files="npx -y @modelcontextprotocol/server-filesystem .", ` +
      'wiki=https://wiki.example.com/mcp, old=sse:https://old.example.com/sse',
  );
}
