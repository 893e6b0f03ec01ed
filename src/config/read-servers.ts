import { lstatSync } from 'node:fs';
import { messageOf } from '../protocol/base/errors.js';
import { isRecord } from '../protocol/base/kinds.js';
import { type JsonDocument, JsonSyntaxError, parseJson } from './json-lines.js';
import type { McpConfigFile } from './places.js';
import type { McpConfigProblem } from './problems.js';
import { readWithOwner } from './read-trusted.js';
import { checkServer } from './server-shape.js';

/** An entry of a file. */
export interface FoundServer {
  name: string;
  file: McpConfigFile;
  line: number;
  entry: Record<string, unknown>;
  /** The first error, which prevents its use. */
  error: McpConfigProblem | undefined;
}

export interface ReadFile {
  found: boolean;
  servers: FoundServer[];
  problems: McpConfigProblem[];
  /** Names in a file that was ignored: whoever reads it, too, must be kept from them. */
  ignored: string[];
}

/** Reads one file. A missing file is not a problem; an unreadable one is. */
export function readServers(file: McpConfigFile): ReadFile {
  const result: ReadFile = { found: false, servers: [], problems: [], ignored: [] };
  const report = (problem: Omit<McpConfigProblem, 'place' | 'file'>): McpConfigProblem => {
    const full = { ...problem, place: file.place, file: file.path };
    result.problems.push(full);
    return full;
  };
  let document: JsonDocument;
  try {
    // Most are missing, in every conversation, and an error costs more than all of this.
    if (lstatSync(file.path, { throwIfNoEntry: false }) === undefined) return result;
    const { text, foreignOwner } = readWithOwner(file.path);
    result.found = true;
    if (foreignOwner !== undefined && file.isInCheckout) {
      report({ severity: 'warning', message: notOurs(foreignOwner) });
      return { ...result, ignored: namesIn(text) };
    }
    if (!hasServers(text, file)) return result;
    document = parseJson(text, file.keys);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return result;
    const line = error instanceof JsonSyntaxError ? error.line : undefined;
    const what = error instanceof JsonSyntaxError ? 'not valid JSON' : 'could not be read';
    report({ severity: 'error', line, message: `${what}: ${messageOf(error)}` });
    return result;
  }
  const servers = serversOf(document, file, report);
  for (const { path, line } of document.duplicates) {
    const name = path.at(-1) ?? '';
    if (path.length !== file.keys.length + 1 || !file.keys.every((key, index) => path[index] === key))
      continue;
    report({
      severity: 'error',
      line,
      server: name,
      message: `two servers are called "${name}"; the last one counts`,
    });
  }
  for (const [name, entry] of Object.entries(servers)) {
    const line = document.lineOf([...file.keys, name]);
    let error: McpConfigProblem | undefined;
    for (const { severity, path, text } of checkServer(entry)) {
      const problem = report({
        severity,
        server: name,
        field: path[0],
        line: document.lineOf([...file.keys, name, ...path]),
        message: `the server "${name}": ${text}`,
      });
      if (severity === 'error') error ??= problem;
    }
    result.servers.push({ name, file, line, entry: entry as Record<string, unknown>, error });
  }
  return result;
}

function notOurs(owner: number): string {
  return (
    `belongs to another user (uid ${owner}), so its servers are not started: they would run with your rights. ` +
    'If you trust it, take it over (chown), or give its servers in `mcpServers`'
  );
}

function namesIn(text: string): string[] {
  try {
    const { mcpServers } = JSON.parse(text);
    return isRecord(mcpServers) ? Object.keys(mcpServers) : [];
  } catch {
    return [];
  }
}

/** The CLI's own file can be large and usually has no servers, so that case is checked the fast way. */
function hasServers(text: string, file: McpConfigFile): boolean {
  if (!file.path.endsWith('.claude.json')) return true;
  try {
    const found = file.keys.reduce<unknown>(
      (value, key) => (value as Record<string, unknown>)?.[key],
      JSON.parse(text),
    );
    return found !== undefined && !(isRecord(found) && Object.keys(found).length === 0);
  } catch {
    return true;
  }
}

type Report = (problem: Omit<McpConfigProblem, 'place' | 'file'>) => void;

/** The object that holds the servers. A file dedicated to servers must have one; others need not. */
function serversOf(document: JsonDocument, file: McpConfigFile, report: Report): Record<string, unknown> {
  // The CLI keeps servers in its own file, among many other things.
  const isForServers = !file.path.endsWith('.claude.json');
  let value = document.value;
  for (const [depth, key] of file.keys.entries()) {
    if (!isRecord(value)) {
      report({ severity: 'error', line: document.lineOf(file.keys.slice(0, depth)), message: SHAPE });
      return {};
    }
    if (isForServers && depth === 0) {
      for (const other of Object.keys(value).filter((each) => each !== key && each !== '$schema')) {
        const message = `the key \`${other}\` is unknown and ignored; a file for MCP servers has only \`${key}\``;
        report({ severity: 'warning', line: document.lineOf([other]), message });
      }
    }
    if (!Object.hasOwn(value, key)) {
      if (isForServers) report({ severity: 'error', line: 1, message: `\`${key}\` is missing. ${SHAPE}` });
      return {};
    }
    value = value[key];
  }
  if (isRecord(value)) return value;
  report({ severity: 'error', line: document.lineOf(file.keys), message: SHAPE });
  return {};
}

const SHAPE = 'Expected { "mcpServers": { "<name>": { "command": "…" } } }';
