import { describe, expect, it } from 'vitest';
import type { ContainerStatus } from './core.gen.ts';
import { headPodReady } from './head-pod-ready.ts';
import type { Loose } from './loose.ts';

function judge(ready: object | undefined, ...containerStatuses: Loose<ContainerStatus>[]) {
  const conditions = ready === undefined ? [] : [{ type: 'Ready', status: 'False', ...ready }];
  return headPodReady({ status: { conditions, containerStatuses } });
}

const notReady = { reason: 'ContainersNotReady', message: 'containers with unready status: [ray]' };

describe('headPodReady()', () => {
  it('is False for an unknown reason while the pod says nothing', () => {
    expect(judge(undefined)).toEqual({ status: 'False', reason: 'Unknown', message: '' });
  });

  it('gives a ready pod without a reason one', () => {
    expect(judge({ status: 'True' })).toEqual({ status: 'True', reason: 'HeadPodRunningAndReady', message: '' });
  });

  it('passes on what the pod says', () => {
    const said = { status: 'Unknown', reason: 'NodeLost', message: 'gone' };
    expect(judge(said)).toEqual(said);
  });

  it('blames the first container that waits or has ended', () => {
    const running = { name: 'side', state: { running: {} } };
    const waiting = { name: 'ray', state: { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } } };
    const ended = { name: 'log', state: { terminated: { exitCode: 1, reason: 'Error', message: 'boom' } } };
    expect(judge(notReady, running, waiting, ended)).toEqual({
      status: 'False',
      reason: 'ImagePullBackOff',
      message: 'containers with unready status: [ray]; ray: no such image',
    });
    expect(judge({ reason: 'ContainersNotReady' }, ended)).toMatchObject({ reason: 'Error', message: 'log: boom' });
  });

  it('never leaves the reason empty, which the API server would refuse', () => {
    expect(judge(notReady, { name: 'ray', state: { waiting: {} } }).reason).toBe('Unknown');
  });

  it('keeps the pod’s own reason where no container explains it', () => {
    expect(judge(notReady)).toEqual({ status: 'False', ...notReady });
  });
});
