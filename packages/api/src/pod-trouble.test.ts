import { expect, it } from 'vitest';
import type { Pod } from './core.gen.ts';
import { podTrouble } from './pod-trouble.ts';

const waiting = (reason: string, message = '') =>
  ({
    containerStatuses: [
      { name: 'side', image: 's', imageID: '', ready: true, restartCount: 0, state: { running: {} } },
      {
        name: 'ray',
        image: 'ray:nope',
        imageID: '',
        ready: false,
        restartCount: 3,
        state: { waiting: { reason, message } },
      },
    ],
  }) as Pod['status'];
const scheduled = (status: 'True' | 'False', reason: string) =>
  ({ conditions: [{ type: 'PodScheduled', status, reason, message: '0/3 nodes are available' }] }) as Pod['status'];

const table: Readonly<Record<string, readonly [Pod['status'], string | undefined]>> = {
  'an image that cannot be pulled': [
    waiting('ErrImagePull', 'not found'),
    'container ray: image ray:nope cannot be pulled',
  ],
  'the same while the kubelet waits to try again': [
    waiting('ImagePullBackOff', 'Back-off'),
    'container ray: image ray:nope cannot be pulled',
  ],
  'a container that ends again and again': [
    waiting('CrashLoopBackOff', 'back-off 40s'),
    'container ray: CrashLoopBackOff: back-off 40s',
  ],
  'a Secret that is missing': [waiting('CreateContainerConfigError'), 'container ray: CreateContainerConfigError'],
  'a pod for which there is no room': [
    scheduled('False', 'Unschedulable'),
    'cannot be scheduled: 0/3 nodes are available',
  ],
  'nothing while a container is being made': [waiting('ContainerCreating'), undefined],
  'nothing while a pod waits for its gates': [scheduled('False', 'SchedulingGated'), undefined],
  'nothing once a pod has a node': [scheduled('True', ''), undefined],
  'nothing without a status': [undefined, undefined],
};

it.each(Object.entries(table))('tells of %s', (_, [status, expected]) => {
  expect(podTrouble(status === undefined ? {} : { status })).toBe(expected);
});

it('tells how a container that crashes ended, without the delay that grows each time', () => {
  const crashed = {
    name: 'ray',
    state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 40s' } },
    lastState: { terminated: { exitCode: 2 } },
  };
  expect(podTrouble({ status: { containerStatuses: [crashed] } })).toBe(
    'container ray: CrashLoopBackOff: ended with exit code 2',
  );
});

it('tells of an init container first', () => {
  const first = { name: 'init', image: 'i', imageID: '', ready: false, restartCount: 0 };
  const status = {
    ...waiting('CrashLoopBackOff'),
    initContainerStatuses: [{ ...first, state: { waiting: { reason: 'ErrImagePull' } } }],
  };
  expect(podTrouble({ status })).toBe('container init: image i cannot be pulled');
});
