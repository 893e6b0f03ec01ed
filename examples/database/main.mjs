// Questions to a PostgreSQL, which keeps the model from writing by its own means.

import { main } from '../shared/main.mjs';
import { example } from './example.mjs';

await main(example);
