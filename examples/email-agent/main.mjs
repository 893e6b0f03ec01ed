// Questions to a mailbox: a file that comes with the example, or an IMAP server.

import { main } from '../shared/main.mjs';
import { example } from './example.mjs';

await main(example);
