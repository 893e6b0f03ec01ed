// The thread of the embedded database: a statement comes in, rows or an error go out.

import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { dataDir } from '@electric-sql/pglite-prepopulatedfs';
import { askReadOnly } from './read-only.mjs';

// An empty database as initdb would make it; making it here would take five seconds more.
const database = await PGlite.create({ loadDataDir: await dataDir() });
await database.exec(workerData.seed);

parentPort?.on('message', async ({ sql, limits }) => {
  try {
    // `query` speaks the extended protocol.
    const result = await askReadOnly((text) => database.query(text), sql, limits);
    parentPort?.postMessage({ result });
  } catch (error) {
    // An Error loses its own fields on the way to another thread.
    const { message, code, detail, hint, position } = /** @type {Error & Record<string, string>} */ (error);
    parentPort?.postMessage({ error: { message, code, detail, hint, position } });
  }
});
parentPort?.postMessage('ready');
