import { matrix } from './support/matrix.js';

matrix('changing files');
