import type { Pod } from '@manta/api';
import { describe, expect, it } from 'vitest';
import { podStages } from './pod-stages.ts';

const pod = (status: Pod['status']): Pod => ({
  metadata: { name: 'p', labels: { 'ray.io/node-type': 'head' } },
  ...(status === undefined ? {} : { status }),
});
const condition = (type: string, status: 'True' | 'False', message = '') => ({
  type,
  status,
  message,
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

describe('how far a pod is', () => {
  it('begins with its making and ends with its being ready', () => {
    expect(podStages(pod(undefined))).toEqual(['head pod p made']);
    expect(podStages(pod({ conditions: [condition('Ready', 'True')] }))).toEqual(['head pod p made', 'head ready']);
  });

  it('is told with what is missing where the machine is too small, and what to do', () => {
    const message = '0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient memory. no new claims to deallocate.';
    expect(podStages(pod({ conditions: [condition('PodScheduled', 'False', message)] }))).toEqual([
      'head pod p made',
      'head finds no room: this machine has not enough cpu and memory left for what it asks for; ask for less in its resources, or delete another cluster',
    ]);
  });

  it('is told with the reason for which it waits', () => {
    const status = { name: 'c', image: '', imageID: '', ready: false, restartCount: 0 };
    const waiting = { state: { waiting: { reason: 'ErrImagePull', message: 'no such image' } } };
    expect(podStages(pod({ containerStatuses: [{ ...status, ...waiting }] }))).toContain('head waits: no such image');
  });

  it('is told of no other pod', () => {
    expect(podStages({ metadata: { name: 'submitter' } })).toEqual([]);
  });
});
