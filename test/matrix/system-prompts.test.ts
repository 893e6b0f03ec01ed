import { matrix } from './support/matrix.js';

matrix('system prompts');
