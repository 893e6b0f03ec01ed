import { defineConfig } from 'vitest/config';

/** `npm run test:versions`: our client with older versions of the real CLI. See docs/compatibility-versions.md. */
export default defineConfig({
  test: {
    include: ['test/versions/**/*.test.ts'],
    globalSetup: ['test/versions/support/global-setup.ts'],
    reporters: ['default', './test/versions/support/table-reporter.ts'],
    // Two cores: more workers than that only make the CLI's start-up slower.
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
