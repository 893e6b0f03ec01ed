import { matrix } from './support/matrix.js';

matrix('tool calls');
