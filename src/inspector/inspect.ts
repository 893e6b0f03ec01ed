import { basename } from 'node:path';
import type { CanUseTool } from '../protocol/permissions/permissions.js';

export interface InspectOptions {
  /** What the page's header says. Default: the name of the program. */
  title?: string | undefined;
  /** Lets people answer permission requests in the page, for conversations that are given the `canUseTool` returned. */
  control?: boolean | undefined;
  /** With `control`: is asked at the same time as the page. The first answer counts; its signal is aborted if it is late. */
  canUseTool?: CanUseTool | undefined;
  /** 0, the default, picks a free one. */
  port?: number | undefined;
  /** An address of this machine; other than 127.0.0.1 only with `allowRemote`. */
  host?: string | undefined;
  allowRemote?: boolean | undefined;
  /** Also with NODE_ENV=production. */
  force?: boolean | undefined;
}

export interface Inspection extends AsyncDisposable {
  /** For a browser. Whoever knows it sees everything, so do not log it where others read. */
  readonly url: string;
  /** With `control`: for the options of a query. Denies once the inspection is closed. */
  readonly canUseTool?: CanUseTool;
  /** Resolves when nothing of it is left. Conversations go on. */
  close(): Promise<void>;
}

/**
 * Shows the conversations of this process that begin from now on, in a page on this machine. The program ends as it
 * would without.
 */
export async function inspect(options: InspectOptions = {}): Promise<Inspection> {
  // Loaded here, because most programs that load this entry only record.
  const { startInspection } = await import('./start-inspection.js');
  const { title = basename(process.argv[1] ?? 'program'), ...rest } = options;
  return startInspection({ title, ...rest });
}
