import { defineConfig } from 'vitest/config';

/**
 * `unit` needs nothing but Node; `reference` needs the peer's recorded material (MANTA_SHARED); `conformance` holds the embedded API
 * server against the suite that also runs on the real one; `security` performs attacks and fuzzes every listener; `console` serves the web console on the embedded engine; `engine` runs it as a process, kills it and starts it again; `sim` plays whole programs on virtual time; `real` needs the Kubernetes programs
 * that `npm run kube:assets` provides; `kueue` needs them too and Kueue, which takes minutes to build and is run by `npm run kueue` alone; `ray` and `e2e` need Ray from PyPI, which is installed into the user's cache.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'packages/*/src/**/*.test.ts',
            'tools/**/*.test.ts',
            'tests/*.test.ts',
            'tests/{repository,properties}/**/*.test.ts',
          ],
          testTimeout: 20_000,
        },
      },
      { test: { name: 'reference', include: ['tests/reference/**/*.test.ts'], testTimeout: 60_000 } },
      {
        test: {
          name: 'conformance',
          include: ['tests/conformance/engine.test.ts', 'tests/cli/engine.test.ts'],
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'security',
          include: ['tests/security/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: { name: 'console', include: ['tests/console/**/*.test.ts'], testTimeout: 120_000, hookTimeout: 120_000 },
      },
      { test: { name: 'engine', include: ['tests/engine/**/*.test.ts'], testTimeout: 60_000 } },
      {
        test: { name: 'ray', include: ['tests/ray/**/*.test.ts'], testTimeout: 120_000, hookTimeout: 300_000 },
      },
      {
        // One after the other: each starts whole Ray clusters.
        test: {
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          fileParallelism: false,
        },
      },
      { test: { name: 'sim', include: ['tests/sim/**/*.test.ts'], testTimeout: 120_000 } },
      { test: { name: 'kueue', include: ['tests/kueue/**/*.test.ts'], testTimeout: 120_000, hookTimeout: 900_000 } },
      {
        test: {
          name: 'real',
          include: ['tests/real/**/*.test.ts', 'tests/conformance/real.test.ts'],
          globalSetup: ['tests/support/shared-control-plane.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
        },
      },
    ],
  },
});
