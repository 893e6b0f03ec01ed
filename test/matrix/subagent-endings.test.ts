import { matrix } from './support/matrix.js';

matrix('ends of subagents');
