import { matrix } from './support/matrix.js';

matrix('checkpoints');
