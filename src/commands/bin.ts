#!/usr/bin/env node
// `tenon`: the command line for people.

import { main } from './main.js';

// `tenon … | head -n 1`: the reader has enough.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
}

process.exitCode = await main(process.argv.slice(2));
// Whatever a tools file has opened (a database, a timer) must not keep a finished command alive.
process.stdout.write('', () => process.stderr.write('', () => process.exit()));
