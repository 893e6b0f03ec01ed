// An agent with the built-in tools for files, and one of yours that runs the tests.

import { main } from '../shared/main.mjs';
import { example } from './example.mjs';

await main(example);
