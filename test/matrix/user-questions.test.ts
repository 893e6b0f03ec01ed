import { matrix } from './support/matrix.js';

matrix('questions to the user');
