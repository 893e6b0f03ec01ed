// Tickets that wait for a person: the conversation is put away until somebody has decided, however long that takes.

import { main } from '../shared/main.mjs';
import { example } from './example.mjs';

await main(example);
