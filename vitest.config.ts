import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.js';
import { PATIENCE_MS } from './test/support/patience.js';

const NEVER = [
  '**/node_modules/**',
  '**/.cache/**',
  'test/reference/**',
  'test/runtimes/**',
  'test/versions/**',
];

/** What `npm run test:quick` leaves out; the matrix then plays half of its scenarios. */
const SLOW = [
  'examples/shared/shared.test.ts',
  'test/client/off-the-command-line.test.ts',
  'test/client/shared-servers-real-cli.test.ts',
  'test/commands/new.test.ts',
  'test/conformance/everything.test.ts',
  'test/packaging/commands.test.ts',
  'test/packaging/lock-files.test.ts',
  'test/packaging/setup.test.ts',
  'test/packaging/setup-interrupted.test.ts',
  'test/runtime/hook-outputs.test.ts',
  'test/runtime/hosts.test.ts',
  'test/testing/messages-api-cli.test.ts',
];

/** Tests that keep nothing in their process: they share one, and with it what it has loaded. */
const LIGHT = ['test/{authoring,config,mcp,protocol}/**/*.test.ts'];

const isQuick = process.env.TENON_TESTS === 'quick';
const exclude = isQuick ? [...NEVER, ...SLOW] : NEVER;

export default defineConfig({
  test: {
    // More than there are cores: half of the time a test waits for processes.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongestFirst },
    // A limit for what hangs, not a guess about speed: the machine may be busy with something else.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: PATIENCE_MS, interval: 20 } },
    setupFiles: ['test/support/patient-waits.ts'],
    reporters: ['default', './test/support/plain-summary.ts'],
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
