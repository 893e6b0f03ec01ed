import { matrix } from './support/matrix.js';

matrix('errors of the API');
