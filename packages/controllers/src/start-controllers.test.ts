import { describe, expect, it } from 'vitest';
import { registerNode } from '../../kubelet/src/node/register-node.ts';
import { startScriptedKubelet } from '../../kubelet/src/testing/scripted.ts';
import type { StoreEvent } from '@manta/apiserver';
import {
  configMaps,
  endpointSlices,
  events,
  jobs,
  namespaces,
  podDisruptionBudgets,
  pods,
  resourceQuotas,
  services,
} from './framework/kinds.ts';
import { startControllers } from './start-controllers.ts';
import { SPACE, startTestCluster, type TestCluster } from './testing/test-cluster.ts';

const asking = (cpu: string) => [{ name: 'c', image: 'i', resources: { requests: { cpu } } }];
const template = { spec: { restartPolicy: 'Never', containers: asking('100m') } };

/** A namespace in which every controller has something to do. */
async function populate(test: TestCluster, namespace = SPACE): Promise<void> {
  await registerNode(test.cluster, { name: 'node-1', capacity: { cpu: '3500m', memory: '4Gi' } });
  await test.create(resourceQuotas, 'quota', {
    metadata: { namespace },
    spec: { hard: { pods: '20', 'requests.cpu': '10' } },
  });
  await test.create(services, 'web', {
    metadata: { namespace },
    spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
  });
  await test.create(podDisruptionBudgets, 'web', {
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
  });
  const containers = asking('1');
  for (const name of ['a', 'b', 'c', 'd']) {
    await test.create(pods, name, { metadata: { namespace, labels: { app: 'web' } }, spec: { containers } });
  }
  await test.create(jobs, 'good', { metadata: { namespace }, spec: { template, completions: 2 } });
  await test.create(jobs, 'bad', { metadata: { namespace }, spec: { template, backoffLimit: 1 } });
}

const start = async (): Promise<TestCluster> => {
  const test = await startTestCluster();
  startControllers(test.cluster, { rootCa: 'PEM' });
  startScriptedKubelet(test.cluster, {
    rules: [
      {
        matches: ({ metadata }) => metadata.generateName !== undefined,
        run: ({ pod }) => ({ exit: { afterMs: 5000, code: pod.metadata.generateName === 'bad-' ? 1 : 0 } }),
      },
    ],
  });
  return test;
};
const writesOf = (test: TestCluster): StoreEvent[] => {
  const seen: StoreEvent[] = [];
  test.cluster.store.watch(test.cluster.store.revision, (event) => seen.push(event));
  return seen;
};

describe('all controllers together', () => {
  it('do what each of them is for', async () => {
    const test = await start();
    await populate(test);
    await test.advance(120);
    expect(test.names(configMaps)).toEqual(['kube-root-ca.crt']);
    expect(test.all(pods).filter(({ spec }) => spec?.nodeName === undefined)).toHaveLength(1);
    expect(test.all(endpointSlices)[0]?.endpoints).toHaveLength(3);
    expect(test.get(podDisruptionBudgets, 'web').status).toMatchObject({ currentHealthy: 3, disruptionsAllowed: 2 });
    expect(test.get(resourceQuotas, 'quota').status?.used).toEqual({ pods: '4', 'requests.cpu': '4' });
    expect(test.get(jobs, 'good').status).toMatchObject({ succeeded: 2 });
    expect(test.get(jobs, 'bad').status).toMatchObject({ failed: 2 });
    expect(test.errors).toEqual([]);
  });

  it('come to rest: when nothing happens, nothing is written', async () => {
    const test = await start();
    await populate(test);
    await test.advance(600);
    const { revision } = test.cluster.store;
    await test.advance(24 * 3600);
    expect(test.cluster.store.revision).toBe(revision);
    expect(test.clock.pending).toBe(0);
  });

  it('write the same things in the same order in the same circumstances', async () => {
    const run = async () => {
      const test = await start();
      const seen = writesOf(test);
      await populate(test);
      await test.advance(600);
      return seen.map(({ type, key, object }) => JSON.stringify([type, key, object]));
    };
    expect(await run()).toEqual(await run());
  });

  it('clear away a whole namespace', async () => {
    const test = await start();
    await test.create(namespaces, 'team');
    await populate(test, 'team');
    await test.advance(60);
    expect(test.names(pods, 'team')).toHaveLength(8);
    await test.client.delete(namespaces, { name: 'team' });
    await test.advance(60);
    expect(test.find(namespaces, 'team')).toBeUndefined();
    expect(test.names(pods, 'team')).toEqual([]);
    expect(test.all(events, 'team')).toEqual([]);
    expect(test.errors).toEqual([]);
  });

  it('change nothing when they are started again', async () => {
    const test = await startTestCluster();
    const stop = startControllers(test.cluster, { rootCa: 'PEM' });
    startScriptedKubelet(test.cluster);
    await populate(test);
    await test.advance(60);
    stop();
    const { revision } = test.cluster.store;
    startControllers(test.cluster, { rootCa: 'PEM', without: ['node-lifecycle'] });
    await test.advance(60);
    expect(test.cluster.store.revision).toBe(revision);
  });

  it('can be left out by name', async () => {
    const test = await startTestCluster();
    startControllers(test.cluster, { rootCa: 'PEM', without: ['namespace-defaults', 'job'] });
    await test.create(jobs, 'j', { spec: { template } });
    await test.settle();
    expect(test.names(configMaps)).toEqual([]);
    expect(test.names(pods)).toEqual([]);
  });
});
