import type { Inspector, InspectorOptions } from './inspector-types.js';

export type { FileFeed, Inspector, InspectorControl, InspectorOptions, RunFeed } from './inspector-types.js';

/** Starts the server behind the page. Rejects with an `OptionError` if it may not listen there. */
export async function startInspector(_options: InspectorOptions): Promise<Inspector> {
  throw new Error('It is being written.');
}
