import { matrix } from './support/matrix.js';

matrix('notebooks');
