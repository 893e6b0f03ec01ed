import type { Dirent, Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from './entries.js';
import { canonical, projectsDirectory } from './places.js';
import { isSessionId, projectKeyOf } from './project-key.js';
import { worktreesOf } from './worktrees.js';

/** A transcript on this machine. */
export interface TranscriptFile {
  sessionId: string;
  path: string;
  /** The folder for what belongs to it: its subagents, its archive mark. */
  folder: string;
  size: number;
  mtimeMs: number;
}

/** The newest transcript of a conversation, in the projects of `dir` or in all projects. */
export async function findTranscript(sessionId: string, dir?: string): Promise<TranscriptFile | undefined> {
  if (!isSessionId(sessionId)) return undefined;
  const found: TranscriptFile[] = [];
  for (const project of await projectFolders(dir, true)) {
    const file = await transcriptAt(project, sessionId);
    // The requested directory comes first, and takes precedence over its worktrees.
    if (file !== undefined && dir !== undefined) return file;
    if (file !== undefined) found.push(file);
  }
  return found.sort(newestFirst)[0];
}

/** All transcripts, newest first, each conversation once. */
export async function findTranscripts(
  dir: string | undefined,
  worktrees: boolean,
): Promise<TranscriptFile[]> {
  const files: TranscriptFile[] = [];
  for (const project of await projectFolders(dir, worktrees)) {
    const names = await namesIn(project);
    const ids = names
      .filter((entry) => entry.name.endsWith(EXTENSION))
      .map(({ name }) => name.slice(0, -EXTENSION.length));
    const all = await Promise.all(ids.filter(isSessionId).map((id) => transcriptAt(project, id)));
    files.push(...all.filter((file) => file !== undefined));
  }
  const seen = new Set<string>();
  return files.sort(newestFirst).filter(({ sessionId }) => {
    const isNew = !seen.has(sessionId);
    seen.add(sessionId);
    return isNew;
  });
}

/** Empty for a folder that does not exist. */
export async function namesIn(folder: string, recursive = false): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true, recursive });
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

const EXTENSION = '.jsonl';

function newestFirst(left: TranscriptFile, right: TranscriptFile): number {
  return right.mtimeMs - left.mtimeMs;
}

async function projectFolders(dir: string | undefined, worktrees: boolean): Promise<string[]> {
  const projects = projectsDirectory();
  if (dir === undefined) {
    const entries = await namesIn(projects);
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(projects, name));
  }
  const path = await canonical(dir);
  const paths = [path, ...(worktrees ? await worktreesOf(path) : [])];
  return [...new Set(paths.map(projectKeyOf))].map((key) => join(projects, key));
}

async function transcriptAt(project: string, sessionId: string): Promise<TranscriptFile | undefined> {
  const path = join(project, sessionId + EXTENSION);
  let status: Stats;
  try {
    status = await stat(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  if (!status.isFile()) return undefined;
  return {
    sessionId,
    path,
    folder: join(project, sessionId),
    size: status.size,
    mtimeMs: status.mtime.getTime(),
  };
}
