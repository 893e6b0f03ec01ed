import { matrix } from './support/matrix.js';

matrix('corners of permissions');
