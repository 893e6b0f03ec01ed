import { isAbsolute, relative, sep } from 'node:path';
import type { McpConfigProblem, McpServerOrigin, ResolvedMcpServer } from '../../index.js';
import { homeDirectory } from '../../protocol/base/user-directories.js';
import { oneLine } from '../terminal/harmless.js';

/** What a person recognizes a server by. Never a value of `env` or `headers`. */
export function serverText({ written, config }: Pick<ResolvedMcpServer, 'written' | 'config'>): string {
  // Unexpanded: a variable in it may hold a secret.
  const server = written as { type?: string; command?: unknown; args?: unknown; url?: unknown };
  if (typeof server.url === 'string')
    return oneLine(`${server.type ?? 'http'} ${withoutSecrets(server.url)}`);
  if (typeof server.command === 'string') {
    const args = Array.isArray(server.args) ? server.args.map(String) : [];
    return oneLine(['stdio', server.command, ...args].join(' '));
  }
  return config === undefined ? 'unusable' : oneLine(server.type ?? 'unknown');
}

/** `project, .mcp.json:3`. */
export function placeText({ place, file, line }: McpServerOrigin): string {
  return file === undefined ? place : oneLine(`${place}, ${lineText(file, line)}`);
}

/** A problem with its location: `.mcp.json:3: …`. */
export function problemText({ file, line, message }: McpConfigProblem): string {
  return oneLine(file === undefined ? message : `${lineText(file, line)}: ${message}`);
}

function lineText(file: string, line: number | undefined): string {
  return `${shortPath(file)}${line === undefined ? '' : `:${line}`}`;
}

/** Relative to this folder or to the home folder if it is inside one of them. */
export function shortPath(path: string): string {
  const near = relative(process.cwd(), path);
  if (near !== '' && !near.startsWith('..') && !isAbsolute(near)) return oneLine(near);
  const home = homeDirectory(process.env);
  return oneLine(path.startsWith(`${home}${sep}`) ? `~${path.slice(home.length)}` : path);
}

function withoutSecrets(url: string): string {
  if (!URL.canParse(url)) return url;
  const parsed = new URL(url);
  if (parsed.username === '' && parsed.password === '' && parsed.search === '') return url;
  return `${parsed.origin}${parsed.pathname}${parsed.search === '' ? '' : '?…'}`;
}
