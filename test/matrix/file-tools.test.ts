import { matrix } from './support/matrix.js';

matrix('file tools');
