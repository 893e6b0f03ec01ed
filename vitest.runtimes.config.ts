import { defineConfig } from 'vitest/config';

/** `npm run test:runtimes`: the package under other versions of Node, under Bun, Deno and workerd. */
export default defineConfig({
  test: {
    include: ['test/runtimes/**/*.test.ts'],
    exclude: ['test/runtimes/node_modules/**'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
