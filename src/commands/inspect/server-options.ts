import { OptionError } from '../../index.js';
import type { InspectorOptions } from '../../inspector/inspector.js';
import type { InspectValues } from './command.js';

export type ServerOptions = Pick<InspectorOptions, 'host' | 'port' | 'allowRemote' | 'force'>;

/** Where the page is served. */
export function serverOptions(values: InspectValues): ServerOptions {
  return {
    host: values.host,
    port: portOf(values.port),
    allowRemote: values['allow-remote'],
    force: values.force,
  };
}

function portOf(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const port = Number(given);
  if (/^\d+$/.test(given) && port <= 65_535) return port;
  throw new OptionError('--port', given, `--port must be a port from 0 to 65535; it is "${given}".`);
}
