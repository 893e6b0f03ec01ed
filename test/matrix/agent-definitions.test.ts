import { matrix } from './support/matrix.js';

matrix('definitions of subagents');
