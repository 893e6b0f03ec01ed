// @ts-check
// Makes dist/worker.js: the worker with everything that it imports, in one file.
import { build } from 'esbuild';

await build({
  entryPoints: ['worker.js'],
  outfile: 'dist/worker.js',
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'browser',
  // By these packages know that there is no Node.
  conditions: ['workerd', 'worker', 'browser'],
  logLevel: 'warning',
});
