import type { Pod } from '@manta/api';
import type { EngineRecord } from '@manta/local';
import { expect, it } from 'vitest';
import { statusLines } from './status-lines.ts';

const record: EngineRecord = {
  pid: 7,
  url: 'https://127.0.0.1:7443',
  kubeconfig: '/data/kubeconfig',
  startedAt: '2026-01-01T00:00:00Z',
  pods: 'pods run in a user namespace',
  log: '/data/manta.log',
  dashboards: [{ cluster: 'default/sample', url: 'http://127.0.0.1:18313/' }],
};
const GIB = 2 ** 30;
const load = { cpus: { total: 4, free: 1.5 }, memory: { total: 8 * GIB, free: 5.25 * GIB } };
const container = { name: 'c', image: '', imageID: '' };
const pods: readonly Pod[] = [
  {
    metadata: { name: 'head', namespace: 'default' },
    spec: { containers: [{ name: 'c' }] },
    status: { phase: 'Running', containerStatuses: [{ ...container, ready: true, restartCount: 2 }] },
  },
  {
    metadata: { name: 'worker', namespace: 'default' },
    spec: { containers: [{ name: 'c' }] },
    status: {
      phase: 'Pending',
      containerStatuses: [
        { ...container, ready: false, restartCount: 0, state: { waiting: { reason: 'ErrImagePull' } } },
      ],
    },
  },
];

it('manta status shows dashboards, pods with their restarts, and what is free', () => {
  expect(statusLines(record, '/data', { pods, load })).toEqual([
    'running since 2026-01-01T00:00:00Z',
    'process:        7',
    'API:            https://127.0.0.1:7443',
    'kubeconfig:     /data/kubeconfig',
    'data directory: /data',
    'log:            /data/manta.log',
    'isolation:      pods run in a user namespace',
    'ray dashboard:  http://127.0.0.1:18313/ (RayCluster default/sample)',
    'free:           1.5 of 4 CPUs, 5.3 of 8 GiB of memory',
    'pods:           1 Running, 1 Pending; 2 restarts',
    '  NAMESPACE/NAME  READY  STATUS        RESTARTS',
    '  default/head    1/1    Running       2',
    '  default/worker  0/1    ErrImagePull  0',
  ]);
});

it('manta status reports an engine that does not answer', () => {
  expect(statusLines(record, '/data', 'timed out').at(-1)).toBe('The engine does not answer: timed out');
});
