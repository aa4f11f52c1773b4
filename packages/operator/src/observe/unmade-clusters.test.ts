import { expect, it } from 'vitest';
import { UnmadeClusters } from './unmade-clusters.ts';

const attempt = { number: 1, rayClusterName: 'job-x', submissionId: 'id', startTime: '2026-01-01T00:00:00Z' };
const written = { rayClusterName: 'job-x', attempts: [attempt] };

it('knows a cluster whose name was written down, until it is there', () => {
  const unmade = new UnmadeClusters();
  expect(unmade.has('ns/job', written)).toBe(false);
  unmade.add('ns/job', written);
  expect(unmade.has('ns/job', written)).toBe(true);
  unmade.delete('ns/job');
  expect(unmade.has('ns/job', written)).toBe(false);
});

it('knows it by its name alone: a server with older CRDs drops the list of attempts', () => {
  const unmade = new UnmadeClusters();
  unmade.add('ns/job', written);
  expect(unmade.has('ns/job', { rayClusterName: 'job-x' })).toBe(true);
});

it('takes no cluster for another, nor one job for another', () => {
  const unmade = new UnmadeClusters();
  expect(unmade.has('ns/job', {})).toBe(false);
  unmade.add('ns/job', written);
  expect(unmade.has('ns/job', { ...written, rayClusterName: 'job-y' })).toBe(false);
  expect(unmade.has('ns/other', written)).toBe(false);
});
