import { expect, it } from 'vitest';
import { UnmadeClusters } from './unmade-clusters.ts';

const attempt = (number: number) => ({
  rayClusterName: 'job-x',
  attempts: [{ number, rayClusterName: 'job-x', submissionId: 'id', startTime: '2026-01-01T00:00:00Z' }],
});

it('knows an attempt whose names were written down, until there is a cluster', () => {
  const unmade = new UnmadeClusters();
  expect(unmade.has('ns/job', attempt(1))).toBe(false);
  unmade.add('ns/job', attempt(1));
  expect(unmade.has('ns/job', attempt(1))).toBe(true);
  unmade.delete('ns/job');
  expect(unmade.has('ns/job', attempt(1))).toBe(false);
});

it('takes no attempt for another, nor one job for another', () => {
  const unmade = new UnmadeClusters();
  unmade.add('ns/job', attempt(1));
  expect(unmade.has('ns/job', attempt(2))).toBe(false);
  expect(unmade.has('ns/job', { ...attempt(1), rayClusterName: 'job-y' })).toBe(false);
  expect(unmade.has('ns/other', attempt(1))).toBe(false);
});
