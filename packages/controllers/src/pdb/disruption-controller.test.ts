import { type OwnerReference, timestamp } from '@manta/api';
import { beforeEach, describe, expect, it } from 'vitest';
import { customResourceDefinitions, type PodDisruptionBudget, podDisruptionBudgets, pods } from '../framework/kinds.ts';
import { SPACE, startTestCluster, type TestCluster } from '../testing/test-cluster.ts';
import { disruptionController } from './disruption-controller.ts';

let test: TestCluster;

beforeEach(async () => {
  test = await startTestCluster();
  test.start(disruptionController);
});

const widgets = { group: 'example.com', version: 'v1', plural: 'widgets', kind: 'Widget', isNamespaced: true };
const defineWidgets = (subresources: object) =>
  test.create(customResourceDefinitions, 'widgets.example.com', {
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          subresources,
        },
      ],
    },
  });
const widget = async (replicas: number): Promise<OwnerReference> => {
  const { metadata } = await test.create(widgets, 'w', { spec: { replicas } } as never);
  return { apiVersion: 'example.com/v1', kind: 'Widget', name: 'w', uid: metadata.uid, controller: true };
};
const pod = async (name: string, isReady: boolean, owner?: OwnerReference) => {
  const ownerReferences = owner === undefined ? [] : [owner];
  const metadata = { labels: { app: 'a' }, ownerReferences };
  await test.create(pods, name, { metadata, spec: { nodeName: 'node-1', containers: [{ name: 'c', image: 'i' }] } });
  const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False' }];
  await test.setStatus(pods, name, { phase: 'Running', conditions });
};
const budget = async (name: string, spec: PodDisruptionBudget['spec']) => {
  await test.create(podDisruptionBudgets, name, { spec: { selector: { matchLabels: { app: 'a' } }, ...spec } });
  await test.settle();
};
const status = (name: string) => test.get(podDisruptionBudgets, name).status;
const condition = (isAllowed: boolean) => ({
  type: 'DisruptionAllowed',
  status: isAllowed ? 'True' : 'False',
  reason: isAllowed ? 'SufficientPods' : 'InsufficientPods',
  message: '',
  observedGeneration: 1,
  lastTransitionTime: timestamp(test.clock.now()),
});

describe('a PodDisruptionBudget', () => {
  it('says how many of its pods may go', async () => {
    await pod('p1', true);
    await pod('p2', true);
    await pod('p3', false);
    await budget('b', { minAvailable: 1 });
    expect(status('b')).toEqual({
      observedGeneration: 1,
      currentHealthy: 2,
      desiredHealthy: 1,
      disruptionsAllowed: 1,
      expectedPods: 3,
      conditions: [condition(true)],
    });
  });

  it('follows its pods: unready and leaving ones are not healthy', async () => {
    await pod('p1', true);
    await pod('p2', true);
    await budget('b', { minAvailable: 1 });
    await test.setStatus(pods, 'p1', { conditions: [{ type: 'Ready', status: 'False' }] });
    expect(status('b')).toMatchObject({ currentHealthy: 1, disruptionsAllowed: 0, conditions: [condition(false)] });
    await test.setStatus(pods, 'p1', { conditions: [{ type: 'Ready', status: 'True' }] });
    await test.client.delete(pods, { name: 'p2', namespace: SPACE });
    await test.settle();
    expect(status('b')).toMatchObject({ currentHealthy: 1, disruptionsAllowed: 0, expectedPods: 2 });
  });

  it('without pods allows nothing and says so', async () => {
    await budget('b', { minAvailable: 1 });
    expect(status('b')).toMatchObject({ currentHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 });
    expect(test.said()).toEqual(['Normal NoPods: No matching pods found']);
  });

  it('of a share asks the controllers how many pods there should be', async () => {
    await defineWidgets({
      status: {},
      scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
    });
    const owner = await widget(5);
    for (const name of ['p1', 'p2', 'p3']) await pod(name, true, owner);
    await budget('max', { maxUnavailable: '50%' });
    await budget('min', { minAvailable: '75%' });
    expect(status('max')).toMatchObject({
      expectedPods: 5,
      desiredHealthy: 2,
      currentHealthy: 3,
      disruptionsAllowed: 1,
    });
    expect(status('min')).toMatchObject({
      expectedPods: 5,
      desiredHealthy: 4,
      currentHealthy: 3,
      disruptionsAllowed: 0,
    });
  });

  it('of a share fails where a controller has no scale', async () => {
    await defineWidgets({});
    await pod('p1', true, await widget(1));
    await budget('b', { maxUnavailable: 1 });
    const message = 'widgets.example.com does not implement the scale subresource';
    expect(status('b')).toEqual({
      currentHealthy: 0,
      desiredHealthy: 0,
      disruptionsAllowed: 0,
      expectedPods: 0,
      conditions: [
        {
          type: 'DisruptionAllowed',
          status: 'False',
          reason: 'SyncFailed',
          message,
          lastTransitionTime: timestamp(test.clock.now()),
        },
      ],
    });
    expect(test.said()).toEqual([
      `Warning CalculateExpectedPodCountFailed: Failed to calculate the number of expected pods: ${message}`,
    ]);
  });

  it('of a share leaves out pods that nobody controls, and warns', async () => {
    await pod('p1', true);
    await budget('b', { maxUnavailable: '50%' });
    expect(status('b')).toMatchObject({ expectedPods: 0, desiredHealthy: 0, disruptionsAllowed: 0 });
    expect(test.said()).toEqual([
      'Warning UnmanagedPods: Pods selected by this PodDisruptionBudget (selector: &LabelSelector{MatchLabels:map[string]string{app: a,},MatchExpressions:[]LabelSelectorRequirement{},}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.',
    ]);
  });

  it('waits two minutes for a pod whose eviction was granted', async () => {
    await pod('p1', true);
    await pod('p2', true);
    await budget('b', { minAvailable: 1 });
    const disruptedPods = { p1: timestamp(test.clock.now()), gone: timestamp(test.clock.now()) };
    await test.setStatus(podDisruptionBudgets, 'b', { disruptedPods, disruptionsAllowed: 0 });
    expect(status('b')).toMatchObject({ currentHealthy: 1, disruptionsAllowed: 0 });
    expect(status('b')?.disruptedPods).toEqual({ p1: disruptedPods.p1 });
    await test.advance(119);
    expect(status('b')).toMatchObject({ currentHealthy: 1 });
    await test.advance(1);
    expect(status('b')).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 1 });
    expect(status('b')?.disruptedPods).toBeUndefined();
  });
});
