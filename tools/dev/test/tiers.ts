import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { provideRay } from '../../../packages/manta/src/local/provide-ray.ts';
import { provideKubeAssets } from '../../fetch/kube/provide.ts';
import { runOracle } from './oracle-tier.ts';
import { runProgram } from './run-program.ts';
import type { Outcome, Tier } from './tier.ts';
import { runVitestProject } from './vitest-tier.ts';

/** Every tier, in the order in which a failure is cheapest to learn about. */
export function tiers(root: string): readonly Tier[] {
  const shared = resolve(process.env['MANTA_SHARED'] ?? join(root, '..', 'shared'));
  const env: NodeJS.ProcessEnv = { ...process.env };
  const missingShared = () =>
    Promise.resolve(
      existsSync(shared)
        ? undefined
        : `the reference material is not at ${shared} (MANTA_SHARED may name another place)`,
    );

  const missingAssets = async () => {
    try {
      env['MANTA_KUBE_ASSETS'] = await provideKubeAssets();
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };

  const missingRay = async () => {
    try {
      await provideRay({ env: process.env, say: (line) => console.log(line) });
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };

  return [
    check('types', 'the TypeScript compiler', 'tsc', ['--noEmit', '-p', 'tsconfig.json']),
    check('types-web', 'the TypeScript compiler, for the console page', 'tsc', [
      '--noEmit',
      '-p',
      'packages/console-web/tsconfig.json',
    ]),
    check('lint', 'oxlint, type-aware', 'oxlint', ['--type-aware', '--deny-warnings']),
    check('format', "Biome's formatting", 'biome', ['format']),
    check('audit', 'what the lockfile lets in, and known weaknesses of it', process.execPath, [
      'tools/dev/audit/main.ts',
    ]),
    { name: 'unit', what: 'tests that need nothing but Node', run: () => runVitestProject('unit', env) },
    {
      name: 'conformance',
      what: 'the embedded API server against the suite that also runs on the real one',
      run: () => runVitestProject('conformance', env),
    },
    {
      name: 'security',
      what: 'attacks: each defect of the security reviews is tried again, and every listener is fuzzed',
      run: () => runVitestProject('security', env),
    },
    {
      name: 'console',
      what: "the web console's server on the embedded engine, and its page in Chromium",
      run: () => runVitestProject('console', env),
    },
    {
      name: 'engine',
      what: 'the embedded engine as a process: commands, kills, restarts',
      run: () => runVitestProject('engine', env),
    },
    {
      name: 'sim',
      what: 'whole programs on virtual time, with crashes, stale caches and lost answers',
      run: () => runVitestProject('sim', env),
    },
    {
      name: 'reference',
      what: "comparison with the peer's CRDs, samples and recorded behaviour",
      missing: missingShared,
      run: () => runVitestProject('reference', { ...env, MANTA_SHARED: shared }),
    },
    {
      name: 'real',
      what: 'tests on a real kube-apiserver and etcd',
      missing: missingAssets,
      run: () => runVitestProject('real', env),
    },
    {
      name: 'ray',
      what: 'our client of Ray on a real head from PyPI',
      missing: missingRay,
      run: () => runVitestProject('ray', env),
    },
    {
      name: 'e2e',
      what: 'real Ray on the embedded engine: clusters, jobs, services',
      missing: missingRay,
      run: () => runVitestProject('e2e', env),
    },
    {
      name: 'oracle',
      what: "the peer's recorded behaviour, played against our operator",
      missing: async () => (await missingShared()) ?? (await missingAssets()),
      run: () => runOracle(root, shared, env['MANTA_KUBE_ASSETS'] ?? ''),
    },
  ];
}

/** A program whose exit status is the verdict; counts as one test. */
function check(name: string, what: string, tool: string, args: readonly string[]): Tier {
  return {
    name,
    what,
    async run(): Promise<Outcome> {
      const isOk = (await runProgram(tool, args)) === 0;
      return { passed: isOk ? 1 : 0, failed: isOk ? 0 : 1, skipped: [] };
    },
  };
}
