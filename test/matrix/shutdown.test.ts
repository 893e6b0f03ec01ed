import { matrix } from './support/matrix.js';

matrix('shutdown and failed starts');
