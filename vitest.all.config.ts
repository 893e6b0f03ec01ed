/** `npm run test:all`: also what `npm test` leaves out to take less than ten minutes. */
process.env.TENON_TESTS = 'all';

export { default } from './vitest.config.js';
