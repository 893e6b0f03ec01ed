import { matrix } from './support/matrix.js';

matrix('custom commands');
