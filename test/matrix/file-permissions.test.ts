import { matrix } from './support/matrix.js';

matrix('permissions of files');
