// Copies of files as they were before the agent changed them, one set for each message of the user. They are kept in
// memory and written to a log, so that a conversation that is resumed can be rewound too.

import { clock, timestamp } from '../../protocol/base/clock.js';
import { messageOf, TenonError } from '../../protocol/base/errors.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { RewindFilesResult } from '../../protocol/wire/control-payloads.js';
import type { SessionStoreEntry } from '../../protocol/wire/session-store.js';
import type { Workspace } from '../workspace.js';
import { fromBase64, toBase64 } from './base64.js';
import { countChanges } from './patch.js';

/** null: there was no file. `lost`: its copy could not be kept. */
type Copy = { readonly id: string; readonly bytes: Uint8Array } | null | 'lost';

interface Checkpoint {
  readonly messageId: string;
  readonly files: Map<string, Copy>;
}

export interface CheckpointLog {
  /** What was logged earlier in this conversation. */
  readonly earlier: readonly SessionStoreEntry[];
  /** Never rejects. */
  append(entries: SessionStoreEntry[]): Promise<void>;
}

export class FileCheckpoints {
  readonly #workspace: Workspace;
  readonly #log: CheckpointLog;
  /** The newest last. */
  readonly #checkpoints: Checkpoint[] = [];

  constructor(workspace: Workspace, log: CheckpointLog) {
    this.#workspace = workspace;
    this.#log = log;
    for (const checkpoint of checkpointsIn(log.earlier)) this.#checkpoints.push(checkpoint);
    this.#giveUpOldest();
  }

  /** A message of the user: from here on, what the files are now can be had back. */
  async begin(messageId: string): Promise<void> {
    const files = new Map<string, Copy>();
    const entries: SessionStoreEntry[] = [];
    for (const path of this.#tracked()) files.set(path, await this.#copy(path, entries));
    this.#checkpoints.push({ messageId, files });
    this.#giveUpOldest();
    const ids = Object.fromEntries([...files].map(([path, copy]) => [path, idOf(copy)]));
    await this.#log.append([...entries, { ...entry('file-checkpoint'), messageId, files: ids }]);
  }

  /** The file is about to be changed. */
  async beforeChange(path: string): Promise<void> {
    const newest = this.#checkpoints.at(-1);
    if (newest === undefined || newest.files.has(path)) return;
    const entries: SessionStoreEntry[] = [];
    const copy = await this.#copy(path, entries);
    newest.files.set(path, copy);
    this.#giveUpOldest();
    const { messageId } = newest;
    await this.#log.append([...entries, { ...entry('file-tracked'), messageId, path, copy: idOf(copy) }]);
  }

  /** Rejects if nothing could be rewound. */
  async rewind(messageId: string, isDry: boolean): Promise<RewindFilesResult> {
    const start = this.#checkpoints.findLastIndex((each) => each.messageId === messageId);
    if (start === -1) throw failed('No file checkpoint found for this message.');
    const changed: { path: string; before: Uint8Array | null; now: Uint8Array | null }[] = [];
    for (const path of this.#tracked()) {
      const before = this.#copyAt(path, start);
      if (before === 'lost') {
        throw failed(`Nothing was rewound: ${path} was too large for a copy to be kept.`);
      }
      const now = await this.#contentOf(path);
      if (!isSame(before?.bytes ?? null, now)) changed.push({ path, before: before?.bytes ?? null, now });
    }
    if (isDry) return { canRewind: true, ...(await summary(changed)) };
    return this.#restore(changed);
  }

  async #restore(
    changed: readonly { path: string; before: Uint8Array | null }[],
  ): Promise<RewindFilesResult> {
    let skippedLinks = 0;
    const failures: string[] = [];
    for (const { path, before } of changed) {
      try {
        const { real, kind } = await this.#workspace.locate(path);
        if (real !== path || kind === 'directory' || kind === 'other') skippedLinks += 1;
        else if (before === null) await this.#workspace.remove(path);
        else await this.#workspace.write(path, before);
      } catch (error) {
        failures.push(`${path} (${messageOf(error)})`);
      }
    }
    if (failures.length > 0) throw failed(`These files could not be rewound: ${failures.join(', ')}.`);
    return { canRewind: true, skippedLinks };
  }

  /** In the order in which they were first changed. */
  #tracked(): Set<string> {
    return new Set(this.#checkpoints.flatMap(({ files }) => [...files.keys()]));
  }

  /** A file that was not known at a checkpoint was still untouched when it became known. */
  #copyAt(path: string, start: number): Copy {
    for (const { files } of this.#checkpoints.slice(start)) {
      const copy = files.get(path);
      if (copy !== undefined) return copy;
    }
    return 'lost';
  }

  /** The file as it is. What was copied before is not copied again. */
  async #copy(path: string, entries: SessionStoreEntry[]): Promise<Copy> {
    const found = await this.#workspace.stat(path);
    if (found === undefined) return null;
    if (found.kind !== 'file' || found.size > LIMITS.maxCheckpointBytes / 4) return 'lost';
    const bytes = await this.#workspace.read(path);
    const known = this.#checkpoints.findLast(({ files }) => files.has(path))?.files.get(path);
    if (typeof known === 'object' && known !== null && isSame(known.bytes, bytes)) return known;
    const content = entry('file-content');
    entries.push({ ...content, bytes: toBase64(bytes) });
    return { id: content.uuid, bytes };
  }

  async #contentOf(path: string): Promise<Uint8Array | null> {
    const { real, kind } = await this.#workspace.locate(path);
    return kind === 'file' ? this.#workspace.read(real) : null;
  }

  #giveUpOldest(): void {
    const most = LIMITS.maxCheckpointBytes;
    while (this.#checkpoints.length > LIMITS.maxCheckpoints || sizeOf(this.#checkpoints) > most) {
      this.#checkpoints.shift();
    }
  }
}

function entry(type: string): SessionStoreEntry & { uuid: string } {
  return { type, uuid: clock.uuid(), timestamp: timestamp() };
}

function idOf(copy: Copy): string | null {
  return typeof copy === 'object' && copy !== null ? copy.id : copy;
}

function sizeOf(checkpoints: readonly Checkpoint[]): number {
  const copies = new Set(checkpoints.flatMap(({ files }) => [...files.values()]));
  let sum = 0;
  for (const copy of copies) if (typeof copy === 'object' && copy !== null) sum += copy.bytes.length;
  return sum;
}

function isSame(left: Uint8Array | null, right: Uint8Array | null): boolean {
  if (left === null || right === null) return left === right;
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}

async function summary(
  changed: readonly { path: string; before: Uint8Array | null; now: Uint8Array | null }[],
): Promise<Pick<RewindFilesResult, 'filesChanged' | 'insertions' | 'deletions'>> {
  const total = { insertions: 0, deletions: 0 };
  const textOf = (bytes: Uint8Array | null): string => new TextDecoder().decode(bytes ?? new Uint8Array());
  for (const { before, now } of changed) {
    const { insertions, deletions } = await countChanges(textOf(now), textOf(before));
    total.insertions += insertions;
    total.deletions += deletions;
  }
  return { filesChanged: changed.map(({ path }) => path), ...total };
}

/** What was logged; entries that make no sense are passed over. */
function checkpointsIn(entries: readonly SessionStoreEntry[]): Checkpoint[] {
  const contents = new Map<unknown, Copy>();
  const checkpoints: Checkpoint[] = [];
  const copyOf = (id: unknown): Copy => (id === null ? null : (contents.get(id) ?? 'lost'));
  for (const { type, uuid = '', messageId, ...fields } of entries) {
    if (type === 'file-content') contents.set(uuid, copyIn(uuid, fields.bytes));
    else if (type === 'file-checkpoint') {
      const files = Object.entries((fields.files ?? {}) as Record<string, unknown>);
      checkpoints.push({
        messageId: String(messageId),
        files: new Map(files.map(([path, id]) => [path, copyOf(id)])),
      });
    } else if (type === 'file-tracked') {
      const found = checkpoints.findLast((each) => each.messageId === messageId);
      found?.files.set(String(fields.path), copyOf(fields.copy));
    }
  }
  return checkpoints;
}

function copyIn(id: string, bytes: unknown): Copy {
  try {
    return { id, bytes: fromBase64(String(bytes)) };
  } catch {
    return 'lost';
  }
}

function failed(text: string): TenonError {
  return new TenonError('FILE_FAILED', text);
}
