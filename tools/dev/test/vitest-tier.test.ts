import { expect, it } from 'vitest';
import { afterRetry, countReport } from './vitest-tier.ts';

it('counts passed, failed and skipped tests, and a file that did not load as one failure', () => {
  const report = {
    testResults: [
      { name: 'a.test.ts', status: 'passed', assertionResults: [{ fullName: 'a', status: 'passed' }] },
      {
        name: 'b.test.ts',
        status: 'failed',
        assertionResults: [
          { fullName: 'b1', status: 'failed', failureMessages: ['Error: too late\n    at b.test.ts:1'] },
          { fullName: 'b2', status: 'skipped' },
        ],
      },
      { name: 'c.test.ts', status: 'failed', message: 'no such module', assertionResults: [] },
    ],
  };
  expect(countReport(report)).toEqual({
    passed: 1,
    failed: 2,
    failures: ['b1: Error: too late', 'c.test.ts: no such module'],
    skipped: ['b2'],
  });
});

it('counts what passes by itself as passed and says that it is unstable; what fails again has failed', () => {
  const first = { passed: 10, failed: 2, failures: ['a: late', 'b: wrong'], skipped: [] };
  const again = { passed: 4, failed: 1, failures: ['b: wrong'], skipped: [] };
  expect(afterRetry(first, again)).toEqual({
    passed: 11,
    failed: 1,
    failures: ['b: wrong'],
    unstable: ['a: late'],
    skipped: [],
  });
});

it('never turns a failure outside any test into a success', () => {
  const first = { passed: 10, failed: 1, failures: ['a: late'], skipped: [] };
  expect(afterRetry(first, { passed: 4, failed: 1, skipped: [] }).failed).toBe(1);
});
