import { matrix } from './support/matrix.js';

matrix('search tools');
