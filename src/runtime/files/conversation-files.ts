import { TenonError } from '../../protocol/base/errors.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { MessageParam } from '../../protocol/wire/content.js';
import type { RewindFilesResult, SDKControlReadFileResponse } from '../../protocol/wire/control-payloads.js';
import { toBase64 } from '../../workspace/files/base64.js';
import { FileCheckpoints } from '../../workspace/files/checkpoints.js';
import { FileMemory } from '../../workspace/files/file-memory.js';
import { absolutePath } from '../../workspace/files/paths.js';
import { remember } from '../../workspace/files/remembered.js';
import { decodeText } from '../../workspace/files/text-file.js';
import type { Workspace } from '../../workspace/workspace.js';
import type { Permissions } from '../permissions/permissions.js';
import type { BuiltInContext } from '../tools/built-ins.js';
import { type LogPlace, openLog } from './checkpoint-log.js';
import { suggestFiles } from './suggest-files.js';

export interface FilesParts {
  readonly workspace: Workspace;
  readonly permissions: Pick<Permissions, 'mayRead' | 'readsFreely'>;
  /** Undefined: nothing can be rewound. */
  readonly checkpoints: LogPlace | undefined;
  /** What was said in an earlier conversation. */
  readonly messages: readonly MessageParam[];
  warn(text: string): void;
}

/** What a conversation knows of files beyond its tools: what its model has seen, and how to take changes back. */
export class ConversationFiles {
  readonly #memory = new FileMemory();
  readonly #parts: FilesParts;
  #checkpoints: FileCheckpoints | undefined;

  private constructor(parts: FilesParts) {
    this.#parts = parts;
  }

  static async open(parts: FilesParts): Promise<ConversationFiles> {
    const files = new ConversationFiles(parts);
    await remember(files.#memory, parts.workspace, parts.messages);
    await files.#openCheckpoints(parts.checkpoints);
    return files;
  }

  /** Nothing was said yet, and nothing is known. */
  async beginAnew(place: LogPlace): Promise<void> {
    this.#memory.clear();
    if (this.#checkpoints !== undefined) await this.#openCheckpoints({ ...place, from: undefined });
  }

  async #openCheckpoints(place: LogPlace | undefined): Promise<void> {
    const { workspace, warn } = this.#parts;
    if (place !== undefined) this.#checkpoints = new FileCheckpoints(workspace, await openLog(place, warn));
  }

  /** A message of the user with this id. */
  async said(messageId: string): Promise<void> {
    await this.#checkpoints?.begin(messageId);
  }

  /** What the tools of the conversation's own agent share with it. */
  get forTools(): Required<Pick<BuiltInContext, 'files' | 'beforeChange'>> {
    return {
      files: this.#memory,
      beforeChange: async (real) => this.#checkpoints?.beforeChange(real),
    };
  }

  /** Rejects if nothing could be rewound. */
  async rewind(messageId: string, isDry: boolean): Promise<RewindFilesResult> {
    if (this.#checkpoints === undefined) {
      throw new TenonError('NOT_SUPPORTED', 'File rewinding is not enabled. Set `enableFileCheckpointing`.');
    }
    return this.#checkpoints.rewind(messageId, isDry);
  }

  /** null: no file there, or none that the agent could read without asking. */
  async read(
    path: string,
    maxBytes: number | undefined,
    encoding: string | undefined,
  ): Promise<SDKControlReadFileResponse | null> {
    const found = await this.#readable(path);
    if (found === undefined) return null;
    const most = maxBytes !== undefined && maxBytes > 0 ? maxBytes : LIMITS.readFileBytes;
    const bytes = await this.#parts.workspace.read(found.real, { maxBytes: most });
    const isBase64 = encoding === 'base64';
    const damaged = isBase64 ? {} : { lossy: isLossy(bytes) };
    return {
      contents: isBase64 ? toBase64(bytes) : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes),
      absPath: found.path,
      ...(found.size > most ? { truncated: true } : {}),
      ...(isBase64 ? { encoding: 'base64' } : damaged),
      requested_path: path,
    };
  }

  /** The host has seen that the model read the file, at a time when it was last changed at `modifiedMs`. */
  async seed(path: string, modifiedMs: number): Promise<void> {
    const found = await this.#readable(path);
    if (found === undefined || found.size > LIMITS.maxFileBytes) return;
    if (Math.floor(found.modifiedMs) > modifiedMs) return;
    const { raw } = decodeText(await this.#parts.workspace.read(found.real));
    await this.#memory.note(found.real, raw, false);
  }

  async suggest(query: string): Promise<{ suggestions: { path: string }[]; cwd: string }> {
    const { workspace, permissions } = this.#parts;
    const paths = await suggestFiles(workspace, query, (real) => permissions.mayRead(real));
    return { suggestions: paths.map((path) => ({ path })), cwd: workspace.root };
  }

  async #readable(
    given: string,
  ): Promise<{ path: string; real: string; size: number; modifiedMs: number } | undefined> {
    const { workspace, permissions } = this.#parts;
    const path = absolutePath(workspace, given);
    if (!(await permissions.readsFreely(path))) return undefined;
    const { real } = await workspace.locate(path);
    const stat = permissions.mayRead(real) ? await workspace.stat(real) : undefined;
    return stat?.kind === 'file' ? { path, real, size: stat.size, modifiedMs: stat.modifiedMs } : undefined;
  }
}

function isLossy(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return false;
  } catch {
    return true;
  }
}
