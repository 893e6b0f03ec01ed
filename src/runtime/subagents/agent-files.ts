import { LIMITS } from '../../protocol/base/limits.js';
import type { PermissionMode } from '../../protocol/permissions/permissions.js';
import { joinPath } from '../knowledge/files.js';
import { type Head, listIn, readHead, splitList, textIn, truthIn } from '../knowledge/front-matter.js';
import type { FolderReader, KnowledgeFolder } from '../knowledge/read-prompts.js';
import type { KnownAgent } from './known-agent.js';

export interface AgentFilesParts {
  readonly reader: FolderReader;
  /** The user has trusted the project: its files may give rights. */
  readonly isTrusted: boolean;
  warn(text: string): void;
}

/** The agents of `agents/**.md` in a folder, by name. One that could not be run as it says is left out. */
export async function readAgents(
  folder: KnowledgeFolder,
  parts: AgentFilesParts,
  inner: readonly string[] = [],
): Promise<KnownAgent[]> {
  const directory = joinPath(folder.path, 'agents', ...inner);
  const found: KnownAgent[] = [];
  for (const { name, isDirectory } of await parts.reader.list(folder.files, directory)) {
    if (isDirectory && inner.length < LIMITS.maxFolderDepth) {
      found.push(...(await readAgents(folder, parts, [...inner, name])));
      continue;
    }
    if (!name.endsWith('.md')) continue;
    const path = joinPath(directory, name);
    const text = await parts.reader.text(folder, path);
    const agent = text === undefined ? undefined : agentIn(text, path, folder, parts);
    if (agent !== undefined) found.push(agent);
  }
  return found;
}

/** Keys that restrict in ways that the runtime cannot keep to. */
const UNKEPT = ['hooks', 'isolation'];

function agentIn(
  text: string,
  path: string,
  { source, plugin }: KnowledgeFolder,
  { isTrusted, warn }: AgentFilesParts,
): KnownAgent | undefined {
  const { head, body } = readHead(text);
  const name = textIn(head, 'name');
  const description = textIn(head, 'description');
  const leftOut = (reason: string): undefined => {
    warn(`The agent ${path} is left out: ${reason}`);
    return undefined;
  };
  if (name === undefined) return leftOut('its head has no `name`.');
  if (description === undefined) return leftOut('its head has no `description`.');
  const top = text.slice(0, text.length - body.length);
  const unkept = UNKEPT.find((key) => new RegExp(`^${key}:`, 'm').test(top));
  if (unkept !== undefined) return leftOut(`its head has \`${unkept}\`, which the runtime does not have.`);
  if (/^mcpServers:/m.test(top) && !isListOfNames(head, 'mcpServers')) {
    return leftOut('its `mcpServers` must be names of servers of the conversation.');
  }
  const maxTurns = textIn(head, 'maxTurns');
  if (maxTurns !== undefined && !(Number.isSafeInteger(Number(maxTurns)) && Number(maxTurns) > 0)) {
    return leftOut(`its \`maxTurns\` must be a whole number above 0; it is ${maxTurns}.`);
  }
  const mode = textIn(head, 'permissionMode');
  if (mode !== undefined && !MODES.has(mode)) {
    return leftOut(`its \`permissionMode\` "${mode}" is none of ${[...MODES].join(', ')}.`);
  }
  const mayRaise = source === 'user' || (source === 'project' && isTrusted);
  if (mode !== undefined && RAISING.has(mode) && !mayRaise) {
    warn(`The agent ${path}: its \`permissionMode\` does not count, because the project is not trusted.`);
  }
  return {
    name: plugin === undefined ? name : `${plugin}:${name}`,
    description,
    prompt: body.trim(),
    source,
    tools: head.has('tools') ? listIn(head, 'tools').flatMap(splitList) : undefined,
    disallowedTools: listIn(head, 'disallowedTools').flatMap(splitList),
    model: textIn(head, 'model'),
    effort: textIn(head, 'effort'),
    maxTurns: maxTurns === undefined ? undefined : Number(maxTurns),
    background: truthIn(head, 'background'),
    skills: [...listIn(head, 'skills')],
    initialPrompt: textIn(head, 'initialPrompt'),
    permissionMode:
      mode === undefined || (RAISING.has(mode) && !mayRaise) ? undefined : (mode as PermissionMode),
  };
}

const MODES: ReadonlySet<string> = new Set<PermissionMode>([
  'default',
  'acceptEdits',
  'bypassPermissions',
  'plan',
  'dontAsk',
]);

/** Modes that allow more than asking would. */
export const RAISING: ReadonlySet<string> = new Set<PermissionMode>(['acceptEdits', 'bypassPermissions']);

/** Definitions of servers are maps, which `readHead` reads as texts with a colon. */
function isListOfNames(head: Head, key: string): boolean {
  const names = listIn(head, key);
  return names.length > 0 && names.every((name) => !name.includes(':'));
}
