// A briefing from guidelines that the agent searches, with citations that the program checks.

import { main } from '../shared/main.mjs';
import { example } from './example.mjs';

await main(example);
