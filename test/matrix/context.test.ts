import { matrix } from './support/matrix.js';

matrix('long conversations');
