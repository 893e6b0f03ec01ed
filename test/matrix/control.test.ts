import { matrix } from './support/matrix.js';

matrix('control requests');
