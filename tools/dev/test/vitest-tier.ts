import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from './run-program.ts';
import type { Outcome } from './tier.ts';

/** The parts of vitest's JSON report that we read. */
interface VitestReport {
  readonly testResults: readonly TestFile[];
}

interface TestFile {
  readonly name: string;
  readonly status: string;
  readonly message?: string;
  readonly assertionResults: readonly TestResult[];
}

interface TestResult {
  readonly fullName: string;
  readonly status: string;
  readonly failureMessages?: readonly string[] | null;
}

/** More failed files than this are no accident. */
const MAX_RETRIED = 4;

/**
 * Runs one vitest project and counts what happened. A file that could not even be loaded is a failure, and so is an error outside any test.
 * A few files that failed are run once more by themselves, since a crowded machine can starve a test; what passes then is reported as unstable.
 */
export async function runVitestProject(project: string, env: NodeJS.ProcessEnv): Promise<Outcome> {
  const first = await runFiles(project, [], env);
  const failed = failedFiles(first.report);
  if (first.status === 0 || failed.length === 0 || failed.length > MAX_RETRIED) return outcomeOf(first);
  console.log(`once more, by themselves: ${failed.join(', ')}`);
  return afterRetry(countReport(first.report), outcomeOf(await runFiles(project, failed, env)));
}

interface Run {
  readonly status: number;
  readonly report: VitestReport;
}

async function runFiles(project: string, files: readonly string[], env: NodeJS.ProcessEnv): Promise<Run> {
  const folder = await mkdtemp(join(tmpdir(), 'manta-test-'));
  try {
    const path = join(folder, 'report.json');
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${path}`];
    const status = await runProgram('vitest', ['run', '--project', project, ...reporters, ...files], env);
    return { status, report: JSON.parse(await readFile(path, 'utf8')) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function outcomeOf({ status, report }: Run): Outcome {
  const outcome = countReport(report);
  return status !== 0 && outcome.failed === 0 ? { ...outcome, failed: 1 } : outcome;
}

function failedFiles({ testResults }: VitestReport): readonly string[] {
  return testResults.flatMap(({ name, status }) => (status === 'failed' ? [name] : []));
}

/** Adds up a report; exported for its test. */
export function countReport({ testResults }: VitestReport): Outcome {
  const tests = testResults.flatMap((file) => file.assertionResults);
  const failures = testResults.flatMap((file) => {
    const failed = file.assertionResults.filter(({ status }) => status === 'failed');
    if (file.status === 'failed' && failed.length === 0) return [describe(file.name, file.message)];
    return failed.map(({ fullName, failureMessages }) => describe(fullName, failureMessages?.[0]));
  });
  return {
    passed: tests.filter(({ status }) => status === 'passed').length,
    failed: failures.length,
    failures,
    skipped: tests.flatMap(({ fullName, status }) => (status === 'passed' || status === 'failed' ? [] : [fullName])),
  };
}

/** What the whole came to when the files that failed were run again; exported for its test. */
export function afterRetry(first: Outcome, again: Outcome): Outcome {
  const unstable = (first.failures ?? []).filter((failure) => !(again.failures ?? []).includes(failure));
  return {
    passed: first.passed + Math.max(first.failed - again.failed, 0),
    failed: again.failed,
    failures: again.failures ?? [],
    unstable,
    skipped: first.skipped,
  };
}

function describe(title: string, message: string | undefined): string {
  const reason = message?.split('\n')[0]?.slice(0, 300) ?? '';
  return reason === '' ? title : `${title}: ${reason}`;
}
