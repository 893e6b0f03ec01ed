import { LIMITS } from '../../protocol/base/limits.js';
import type { MessageParam } from '../../protocol/wire/content.js';
import { OutputFile } from '../../workspace/tools/output-file.js';
import type { Workspace } from '../../workspace/workspace.js';
import type { AgentPlaces } from '../platform/platform.js';
import type { TaskOutput } from '../tasks/task.js';

/** What a subagent says and is told, a message in each line: its end in memory, all of it in a file if there is one. */
export class AgentOutputFile {
  /** Empty if there is no file. */
  readonly path: string;
  /** There is a tool that could read it. */
  readonly isReadable: boolean;
  readonly #file: OutputFile | undefined;
  #tail = '';
  #bytes = 0;

  constructor(path: string, file: OutputFile | undefined, isReadable = file !== undefined) {
    this.path = path;
    this.#file = file;
    this.isReadable = isReadable;
  }

  static async open(
    id: string,
    workspace: Workspace | undefined,
    places: () => Promise<AgentPlaces> | undefined,
    tools: { find(name: string): unknown },
  ): Promise<AgentOutputFile> {
    const directory = (await places())?.tasks;
    if (workspace === undefined || directory === undefined) return new AgentOutputFile('', undefined);
    const path = `${directory}/${id}.output`;
    const isReadable = ['Read', 'Bash'].some((name) => tools.find(name) !== undefined);
    return new AgentOutputFile(path, new OutputFile(workspace, path), isReadable);
  }

  add({ role, content }: MessageParam): void {
    const bytes = new TextEncoder().encode(`${JSON.stringify({ type: role, message: { role, content } })}\n`);
    this.#bytes += bytes.length;
    this.#tail = (this.#tail + new TextDecoder().decode(bytes)).slice(-LIMITS.taskTailBytes);
    // The work goes on without the file: the transcript has all of it too.
    this.#file?.add(bytes).catch(() => {});
  }

  /** Resolves when the file has everything. */
  async written(): Promise<void> {
    await this.#file?.written().catch(() => {});
  }

  tail(): TaskOutput {
    return { output: this.#tail, total_bytes: this.#bytes, truncated: this.#bytes > this.#tail.length };
  }
}
