// `tenon/inspect`. Loaded by NODE_OPTIONS="--import tenon/inspect" it records, where TENON_RECORD says; a program that
// imports it gets functions.

import { recordAsAsked } from '../observe/record-as-asked.js';

export { type Inspection, type InspectOptions, inspect } from './inspect.js';

recordAsAsked();
