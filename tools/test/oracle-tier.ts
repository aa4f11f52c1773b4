import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pythonWith } from './python.ts';
import type { Outcome } from './tier.ts';

/** Scenarios of features that this version does not have yet. */
const NOT_YET = [
  'gate-mtls',
  'gate-network-policy',
  'scheduler-',
  'sample-(kai|network-policy|scheduler-plugins|volcano|yunikorn)',
];

/**
 * Plays recorded scenarios against our operator on a real API server and compares what it makes with what the peer made. Where we
 * differ on purpose, `tests/oracle` has what we make instead.
 */
export async function runOracle(root: string, shared: string, assets: string): Promise<Outcome> {
  const python = await pythonWith('yaml', 'pyyaml');
  const args = [
    join(shared, 'oracle/oracle.py'),
    'check',
    '--operator',
    `${join(root, 'bin/manta')} operator`,
    '--assets',
    assets,
    '--ours',
    join(root, 'tests/oracle'),
    '--events',
    'superset',
    '--jobs',
    '8',
    '--slow',
    '2',
    '--max-diff',
    '40',
    '--only',
    `^raycluster/(?!${NOT_YET.join('|')})`,
  ];
  return countLastLine(await output(python, args));
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
