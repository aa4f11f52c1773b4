import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from './run-program.ts';
import type { Outcome } from './tier.ts';

/** The parts of vitest's JSON report that we read. */
interface VitestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/** Runs one vitest project and counts what happened. A file that could not even be loaded is a failure, and so is an error outside any test. */
export async function runVitestProject(project: string, env: NodeJS.ProcessEnv): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'manta-test-'));
  try {
    const report = join(folder, 'report.json');
    const status = await runProgram(
      'vitest',
      ['run', '--project', project, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
      env,
    );
    const outcome = countReport(JSON.parse(await readFile(report, 'utf8')));
    return status !== 0 && outcome.failed === 0 ? { ...outcome, failed: 1 } : outcome;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Adds up a report; exported for its test. */
export function countReport(report: VitestReport): Outcome {
  let passed = 0;
  let failed = 0;
  const skipped: string[] = [];
  for (const file of report.testResults) {
    if (file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed')) failed += 1;
    for (const test of file.assertionResults) {
      if (test.status === 'passed') passed += 1;
      else if (test.status === 'failed') failed += 1;
      else skipped.push(test.fullName);
    }
  }
  return { passed, failed, skipped };
}
