import { matrix } from './support/matrix.js';

matrix('resources of servers');
