import type { RecordOptions } from '../../options/options.js';
import type { RunRecorder } from '../../protocol/transport/run-events.js';
import type { Transport } from '../../protocol/transport/transport.js';
import type { ReadConfiguration } from '../mcp/configured-servers.js';
import type { Debug } from '../query/observers.js';
import type { Launch, LaunchRequest } from './launch.js';
import type { KeptLaunch } from './launch-cli.js';

/** What a query needs from the machine it runs on, apart from a network. */
export interface Machine {
  /** Throws where no processes can be started. */
  launchCli(request: LaunchRequest): Launch;
  /** Opens an agent that runs elsewhere, wrapped in its `sessionStore` if the options have one. */
  openKept(launch: KeptLaunch): Transport;
  readonly readConfiguration: ReadConfiguration;
  /** Never rejects: a conversation goes on without its recording. Throws where there are no files. */
  openRecorder(record: string | RecordOptions, reports: RecordReports): Promise<RunRecorder>;
}

export interface RecordReports {
  readonly warn: (text: string) => void;
  readonly debug: Debug;
}
