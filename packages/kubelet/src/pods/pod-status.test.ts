import { describe, expect, it } from 'vitest';
import { podStatus } from './pod-status.ts';

describe('the phase of a pod whose only container has ended', () => {
  const phase = (restartPolicy: 'Always' | 'OnFailure' | 'Never', code: number, deletionTimestamp?: string) =>
    podStatus({
      pod: {
        metadata: { name: 'p', ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
        spec: { restartPolicy, containers: [{ name: 'main' }] },
      },
      containers: [
        { name: 'main', image: '', attempt: 0, moment: { state: 'ended', code, startMs: 1000, endMs: 2000 } },
      ],
      podIp: '10.0.0.1',
      hostIp: '127.0.0.1',
      startMs: 0,
      nowMs: 3000,
    }).phase;

  it.each([
    ['Running when it is started again in any case', 'Always', 1, 'Running'],
    ['Running when it is started again after success, too', 'Always', 0, 'Running'],
    ['Running when its failure is tried again', 'OnFailure', 1, 'Running'],
    ['Succeeded when success was enough', 'OnFailure', 0, 'Succeeded'],
    ['Failed when it has one try', 'Never', 1, 'Failed'],
  ] as const)('is %s', (_, policy, code, expected) => {
    expect(phase(policy, code)).toBe(expected);
  });

  it('is final while the pod is being deleted', () => {
    expect(phase('Always', 137, '2026-01-01T00:00:00Z')).toBe('Failed');
  });
});

it('a pod that has ended is not ready to start containers, though its sandbox still exists', () => {
  const { conditions } = podStatus({
    pod: { metadata: { name: 'p' }, spec: { restartPolicy: 'Never', containers: [{ name: 'main' }] } },
    containers: [{ name: 'main', image: '', attempt: 0, moment: { state: 'ended', code: 0, startMs: 0, endMs: 1 } }],
    hasSandbox: true,
    podIp: '10.0.0.1',
    hostIp: '127.0.0.1',
    startMs: 0,
    nowMs: 1,
  });
  expect(conditions?.find(({ type }) => type === 'PodReadyToStartContainers')?.status).toBe('False');
});
