import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pythonWith } from './python.ts';
import type { Outcome } from './tier.ts';

/** They wait for what never happens here, each for a reason that docs/differences/ gives. */
const NEVER = [
  // A job that Ray reports as running does not fail.
  'rayjob/retry-exhausted-k8sjob',
  'rayjob/retry-then-success',
  // A lost status is rebuilt from the clusters that run.
  'rayservice/status-lost-starts-over',
  // An upgrade that is reverted ends, without a third cluster.
  'rayservice/upgrade-reverted-makes-third-cluster',
  // Deletion timers survive a restart.
  'rayservice/restart-forgets-deletion-timer',
  // A Service that the RayService does not control is never redirected.
  'rayservice/serve-service-name-taken',
  // A step of zero is refused.
  'rayservice/incremental-zero-step-stalls',
  // Clusters that are refused get no certificates.
  'raycluster/gate-mtls-invalid',
];

/**
 * Plays recorded scenarios against our operator on a real API server and compares what it makes with what the peer made. Where we
 * differ on purpose, `tests/oracle` has what we make instead.
 */
export async function runOracle(root: string, shared: string, assets: string): Promise<Outcome> {
  const python = await pythonWith('yaml', 'pyyaml');
  const check = (only: string, jobs: string) =>
    output(python, [
      join(shared, 'oracle/oracle.py'),
      'check',
      `--operator=${join(root, 'bin/manta')} operator`,
      `--assets=${assets}`,
      `--ours=${join(root, 'tests/oracle')}`,
      `--only=${only}`,
      `--jobs=${jobs}`,
      '--events=superset',
      '--slow=2',
      '--max-diff=40',
    ]);
  const first = await check(`^(?!${NEVER.join('|')})`, '10');
  const failed = failedScenarios(first);
  const outcome = countLastLine(first);
  if (failed.length === 0 || failed.length > MAX_RETRIED) return outcome;
  // The API server's own repair loops write events too when the machine is slow: what fails again, alone, has really failed.
  console.log(`once more, by themselves: ${failed.join(', ')}`);
  const again = countLastLine(await check(`^(${failed.join('|')})(\\.yaml)?$`, '1'));
  return { passed: outcome.passed + again.passed, failed: again.failed, skipped: [] };
}

const MAX_RETRIED = 6;

/** The line `failed: a, b` near the end. */
export function failedScenarios(text: string): readonly string[] {
  return (/^failed: (.*)$/m.exec(text)?.[1] ?? '').split(', ').filter((name) => name !== '');
}

/** Reads `N passed, N failed`; no such line means that nothing was tested. */
export function countLastLine(text: string): Outcome {
  const last = [...text.matchAll(/^(\d+) passed, (\d+) failed/gm)].at(-1);
  return { passed: Number(last?.[1] ?? 0), failed: last === undefined ? 1 : Number(last[2]), skipped: [] };
}

/** Runs a program, shows what it says as it says it, and resolves with all of it. */
function output(command: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      process.stdout.write(chunk.replaceAll(/^passed .*\n/gm, ''));
    });
    child.once('error', reject);
    child.once('close', () => resolve(text));
  });
}
