import { matrix } from './support/matrix.js';

matrix('reading files');
