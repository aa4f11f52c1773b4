import { expect, it } from 'vitest';
import { countLastLine, failedScenarios } from './oracle-tier.ts';

it('counts the last line and takes silence for a failure', () => {
  expect(countLastLine('failed x\n3 passed, 1 failed\n')).toEqual({ passed: 3, failed: 1, skipped: [] });
  expect(countLastLine('Traceback')).toEqual({ passed: 0, failed: 1, skipped: [] });
});

it('reads which scenarios failed', () => {
  expect(failedScenarios('failed: raycluster/a, raycluster/b\n1 passed, 2 failed')).toEqual([
    'raycluster/a',
    'raycluster/b',
  ]);
  expect(failedScenarios('3 passed, 0 failed')).toEqual([]);
});
