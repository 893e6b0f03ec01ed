import { matrix } from './support/matrix.js';

matrix('external servers');
