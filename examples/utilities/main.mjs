// Small things that a model cannot do by itself: the time, random numbers, hashes.

import { main } from '../shared/main.mjs';
import { example } from './example.mjs';

await main(example);
