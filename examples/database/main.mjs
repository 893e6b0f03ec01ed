// Questions to a PostgreSQL, which itself keeps the model from writing.

import { main } from '../shared/main.mjs';
import { example } from './example.mjs';

await main(example);
