import { matrix } from './support/matrix.js';

matrix('output and limits');
