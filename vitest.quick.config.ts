/** `npm run test:quick`: without the slowest files, with half of the matrix, and with smaller numbers here and there. */
process.env.TENON_TESTS = 'quick';

export { default } from './vitest.config.js';
