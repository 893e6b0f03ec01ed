// Tickets that wait for a person: the tool call returns when someone has decided, however long that takes.

import { main } from '../shared/main.mjs';
import { example } from './example.mjs';

await main(example);
