// The calculator agent: functions in this process are the tools of an agent that runs in this process too.

import { main } from '../shared/main.mjs';
import { example } from './example.mjs';

await main(example);
