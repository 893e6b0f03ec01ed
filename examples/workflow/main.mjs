// One prompt, three servers of three kinds: files over stdio, exchange rates over HTTP, a calculator in this process.

import { main } from '../shared/main.mjs';
import { example } from './example.mjs';

await main(example);
