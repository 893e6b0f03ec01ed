import { defineConfig } from 'vitest/config';

const NEVER = [
  '**/node_modules/**',
  '**/.cache/**',
  'test/reference/**',
  'test/runtimes/**',
  'test/versions/**',
];

/** Left to `npm run test:all`, so that `npm test` takes less than ten minutes; the matrix plays half of its scenarios. */
const SLOW = [
  'examples/shared/shared.test.ts',
  'test/client/off-the-command-line.test.ts',
  'test/client/shared-servers-real-cli.test.ts',
  'test/commands/new.test.ts',
  'test/conformance/everything.test.ts',
  'test/packaging/commands.test.ts',
  'test/packaging/setup.test.ts',
  'test/runtime/hook-outputs.test.ts',
  'test/runtime/hosts.test.ts',
  'test/testing/messages-api-cli.test.ts',
];

/** Tests that keep nothing in their process: they share one, and with it what it has loaded. */
const LIGHT = ['test/{authoring,config,protocol}/**/*.test.ts'];

const isAll = process.env.TENON_TESTS === 'all';
const exclude = isAll ? NEVER : [...NEVER, ...SLOW];

export default defineConfig({
  test: {
    // For two cores: the tests wait for processes a third of their time. With two workers they take 8 minutes, with three 7.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['default'],
    projects: [
      { extends: true, test: { name: 'light', include: LIGHT, exclude, isolate: false } },
      {
        extends: true,
        test: {
          name: 'heavy',
          include: ['test/**/*.test.ts', 'examples/*/*.test.ts'],
          exclude: [...exclude, ...LIGHT],
        },
      },
    ],
  },
});
