// Questions about a mailbox: a file included in the example, or an IMAP server.

import { main } from '../shared/main.mjs';
import { example } from './example.mjs';

await main(example);
