import type { TierResult } from './tier.ts';

/** The closing report of a test run; its last line is the one that tools read. */
export interface Summary {
  readonly lines: readonly string[];
  readonly isSuccess: boolean;
}

/**
 * Adds the tiers up. Where everything is required (CI), a tier that was left out and a test that was skipped are failures:
 * a machine that cannot run a test must not look like one where it passed.
 */
export function summarize(results: readonly TierResult[], isEverythingRequired: boolean): Summary {
  let passed = 0;
  let failed = 0;
  let skipped = 0;
  const lines: string[] = [''];
  for (const result of results) {
    if (result.kind === 'left-out') {
      failed += isEverythingRequired ? 1 : 0;
      lines.push(`LEFT OUT  ${result.tier}: ${result.what}`, `          because ${result.reason}`);
      continue;
    }
    const { outcome } = result;
    passed += outcome.passed;
    failed += outcome.failed;
    skipped += outcome.skipped.length;
    const state = outcome.failed > 0 ? 'FAILED' : 'ok';
    lines.push(
      `${state.padEnd(10)}${result.tier.padEnd(12)}${count(outcome.passed, 'passed')} in ${result.seconds.toFixed(0)} s`,
    );
    for (const failure of outcome.failures ?? []) lines.push(`  failed  ${failure}`);
    for (const title of outcome.unstable ?? []) lines.push(`UNSTABLE  ${title}`);
    for (const title of outcome.skipped) lines.push(`SKIPPED   ${title}`);
  }
  if (isEverythingRequired) failed += skipped;
  lines.push('', `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  return { lines, isSuccess: failed === 0 && passed > 0 };
}

function count(n: number, word: string): string {
  return `${String(n).padStart(5)} ${word}`;
}
