// The thread of the embedded database: it receives statements and returns rows or errors.

import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { dataDir } from '@electric-sql/pglite-prepopulatedfs';
import { askReadOnly } from './read-only.mjs';

// A prebuilt empty database; creating it here would take five more seconds.
const database = await PGlite.create({ loadDataDir: await dataDir() });
await database.exec(workerData.seed);

parentPort?.on('message', async ({ sql, limits }) => {
  try {
    // `query` uses the extended protocol.
    const result = await askReadOnly((text) => database.query(text), sql, limits);
    parentPort?.postMessage({ result });
  } catch (error) {
    // An Error loses its extra fields on the way to another thread.
    const { message, code, detail, hint, position } = /** @type {Error & Record<string, string>} */ (error);
    parentPort?.postMessage({ error: { message, code, detail, hint, position } });
  }
});
parentPort?.postMessage('ready');
