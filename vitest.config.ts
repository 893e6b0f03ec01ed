import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'examples/*/*.test.ts'],
    exclude: [
      '**/node_modules/**',
      '**/.cache/**',
      'test/reference/**',
      'test/runtimes/**',
      'test/versions/**',
    ],
    // Two cores: more workers than that only make the real CLI's start-up slower.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['default'],
  },
});
