import { expect, it } from 'vitest';
import { countReport } from './vitest-tier.ts';

it('counts passed, failed and skipped tests, and a file that did not load as one failure', () => {
  const report = {
    testResults: [
      { name: 'a.test.ts', status: 'passed', assertionResults: [{ fullName: 'a', status: 'passed' }] },
      {
        name: 'b.test.ts',
        status: 'failed',
        assertionResults: [
          { fullName: 'b1', status: 'failed' },
          { fullName: 'b2', status: 'skipped' },
        ],
      },
      { name: 'c.test.ts', status: 'failed', assertionResults: [] },
    ],
  };
  expect(countReport(report)).toEqual({ passed: 1, failed: 2, skipped: ['b2'] });
});
