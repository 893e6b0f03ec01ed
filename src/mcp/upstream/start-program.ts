import type { StartProgram } from './upstream-transport.js';

/** For Node. What it needs is loaded with the first such server and not before. */
export const startProgram: StartProgram = async (config, surroundings) => {
  const { StdioTransport } = await import('./stdio-transport.js');
  return new StdioTransport(config, surroundings);
};
