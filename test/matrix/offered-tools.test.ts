import { matrix } from './support/matrix.js';

matrix('offered tools');
