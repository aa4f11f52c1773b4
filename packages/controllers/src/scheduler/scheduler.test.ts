import { type NodeSpec, type PodSpec, timestamp } from '@manta/api';
import { beforeEach, describe, expect, it } from 'vitest';
import { nodes, pods } from '../framework/kinds.ts';
import { podCondition } from '@manta/apiserver';
import { SPACE, startTestCluster, type TestCluster } from '../testing/test-cluster.ts';
import { scheduler } from './scheduler.ts';

let test: TestCluster;

beforeEach(async () => {
  test = await startTestCluster();
  await test.client.delete(nodes, { name: 'node-1' });
  test.start(scheduler);
});

const node = async (
  name: string,
  allocatable: object = {},
  spec: NodeSpec = {},
  labels: Record<string, string> = {},
) => {
  await test.create(nodes, name, { metadata: { labels } });
  const room = { cpu: '4', memory: '8Gi', pods: '110', ...allocatable };
  await test.setStatus(nodes, name, { allocatable: room, capacity: room });
  // The server marks new nodes as not ready; here they are.
  const body = { spec: { taints: [], ...spec } };
  await test.client.patch(nodes, { name }, { type: 'merge', body });
  await test.settle();
};
const pod = async (name: string, requests: Record<string, string> = {}, spec: Partial<PodSpec> = {}) => {
  const containers = [{ name: 'c', image: 'i', resources: { requests } }];
  await test.create(pods, name, { spec: { containers, ...spec } });
  await test.settle();
};
const nodeOf = (name: string) => test.get(pods, name).spec?.nodeName;
const complaint = (name: string) => podCondition(test.get(pods, name), 'PodScheduled')?.message;
const NOT_HELPFUL =
  'no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.';

describe('the scheduler', () => {
  it('binds a pod and says so', async () => {
    await node('a');
    await pod('p', { cpu: '1' });
    expect(nodeOf('p')).toBe('a');
    expect(podCondition(test.get(pods, 'p'), 'PodScheduled')?.status).toBe('True');
    expect(test.said()).toEqual(['Normal Scheduled: Successfully assigned default/p to a']);
  });

  it('says why a pod fits nowhere, once, and places it when a node comes', async () => {
    await pod('p');
    expect(complaint('p')).toBe('no nodes available to schedule pods');
    await node('small', { cpu: '500m' });
    await pod('q', { cpu: '1', memory: '1Gi' });
    const message = `0/1 nodes are available: 1 Insufficient cpu. ${NOT_HELPFUL}`;
    expect(podCondition(test.get(pods, 'q'), 'PodScheduled')).toEqual({
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message,
      lastProbeTime: null,
      lastTransitionTime: timestamp(test.clock.now()),
    });
    expect(test.get(pods, 'q').status?.phase).toBe('Pending');
    const said = test.said().filter((text) => text.includes('Failed'));
    expect(said[0]).toBe('Warning FailedScheduling: no nodes available to schedule pods');
    expect(said.at(-1)).toBe(`Warning FailedScheduling: ${message}`);
    await test.advance(600);
    expect(test.said().filter((text) => text.includes('Failed'))).toEqual(said);
    await node('large');
    expect([nodeOf('p'), nodeOf('q')]).toEqual(['small', 'large']);
  });

  it('never gives away more than a node has, and goes on when room becomes free', async () => {
    await node('a', { cpu: '2' });
    for (const name of ['p1', 'p2', 'p3']) await pod(name, { cpu: '1' });
    expect(complaint('p3')).toBe(
      '0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.',
    );
    await test.setStatus(pods, 'p1', { phase: 'Succeeded' });
    expect(nodeOf('p3')).toBe('a');
  });

  it('counts pods, init containers and sidecars as the real one', async () => {
    await node('a', { cpu: '2', pods: '1' });
    const container = (name: string, cpu: string) => ({ name, image: 'i', resources: { requests: { cpu } } });
    await pod('big', { cpu: '500m' }, { initContainers: [container('i', '3')] });
    expect(complaint('big')).toContain('1 Insufficient cpu.');
    await pod('sidecar', { cpu: '1' }, { initContainers: [{ ...container('s', '1500m'), restartPolicy: 'Always' }] });
    expect(complaint('sidecar')).toContain('1 Insufficient cpu.');
    await pod('p', { cpu: '500m' });
    expect(nodeOf('p')).toBe('a');
    await pod('q');
    expect(complaint('q')).toContain('1 Too many pods.');
  });

  it('counts extended resources', async () => {
    await node('a', { 'nvidia.com/gpu': '1' });
    const limits = { 'nvidia.com/gpu': '1' };
    const gpu = { containers: [{ name: 'c', image: 'i', resources: { requests: limits, limits } }] };
    await pod('p', {}, gpu);
    await pod('q', {}, gpu);
    expect(nodeOf('p')).toBe('a');
    expect(complaint('q')).toContain('1 Insufficient nvidia.com/gpu.');
  });

  it('spreads pods to where most room is left', async () => {
    await node('a');
    await node('b');
    for (const name of ['p1', 'p2', 'p3', 'p4']) await pod(name, { cpu: '1' });
    expect(['p1', 'p2', 'p3', 'p4'].map(nodeOf)).toEqual(['a', 'b', 'a', 'b']);
  });

  const refusals: Record<
    string,
    { node: NodeSpec; labels?: Record<string, string>; pod: Partial<PodSpec>; reason: string }
  > = {
    'a node with a taint': {
      node: { taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] },
      pod: { tolerations: [{ key: 'k', value: 'other' }] },
      reason: '1 node(s) had untolerated taint(s)',
    },
    'a node that is cordoned': {
      node: { unschedulable: true },
      pod: {},
      reason: '1 node(s) were unschedulable',
    },
    'a node without the labels of the selector': {
      node: {},
      labels: { disk: 'hdd' },
      pod: { nodeSelector: { disk: 'ssd' } },
      reason: "1 node(s) didn't match Pod's node affinity/selector",
    },
    'a node that no required term matches': {
      node: {},
      labels: { cores: '8' },
      pod: {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'cores', operator: 'Gt', values: ['8'] }] }],
            },
          },
        },
      },
      reason: "1 node(s) didn't match Pod's node affinity/selector",
    },
  };
  it.each(Object.entries(refusals))('does not use %s', async (_, { node: spec, labels, pod: wants, reason }) => {
    await node('a', {}, spec, labels);
    await pod('p', {}, wants);
    expect(complaint('p')).toBe(`0/1 nodes are available: ${reason}. ${NOT_HELPFUL}`);
  });

  const acceptances: Record<string, { node: NodeSpec; labels?: Record<string, string>; pod: Partial<PodSpec> }> = {
    'tolerates its taint': {
      node: { taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] },
      pod: { tolerations: [{ key: 'k', operator: 'Exists' }] },
    },
    'tolerates everything': {
      node: { taints: [{ key: 'k', effect: 'NoExecute' }], unschedulable: true },
      pod: { tolerations: [{ operator: 'Exists' }] },
    },
    'is only asked not to be there': {
      node: { taints: [{ key: 'k', effect: 'PreferNoSchedule' }] },
      pod: {},
    },
    'asks for it by a term': {
      node: {},
      labels: { zone: 'b' },
      pod: {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] },
                { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a'] }] },
              ],
            },
          },
        },
      },
    },
  };
  it.each(Object.entries(acceptances))(
    'uses a node where the pod %s',
    async (_, { node: spec, labels, pod: wants }) => {
      await node('a', {}, spec, labels);
      await pod('p', {}, wants);
      expect(nodeOf('p')).toBe('a');
    },
  );

  it('gives a host port away once a node', async () => {
    await node('a');
    const ported = { containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 80, hostPort: 80 }] }] };
    await pod('p', {}, ported);
    await pod('q', {}, ported);
    expect(complaint('q')).toContain("1 node(s) didn't have free ports for the requested pod ports.");
  });

  it('adds up the reasons of several nodes', async () => {
    await node('a', { cpu: '1' });
    await node('b', { cpu: '1', memory: '1Gi' });
    await node('c', {}, { taints: [{ key: 'k', effect: 'NoSchedule' }] });
    await pod('p', { cpu: '2', memory: '2Gi' });
    expect(complaint('p')).toBe(
      '0/3 nodes are available: 1 Insufficient memory, 1 node(s) had untolerated taint(s), 2 Insufficient cpu. no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.',
    );
  });

  it('leaves pods of other schedulers, pods with gates and pods that have a node', async () => {
    await node('a');
    await pod('other', {}, { schedulerName: 'volcano' });
    await pod('gated', {}, { schedulingGates: [{ name: 'wait' }] });
    await pod('placed', {}, { nodeName: 'b' });
    expect(['other', 'gated', 'placed'].map(nodeOf)).toEqual([undefined, undefined, 'b']);
    expect(test.said()).toEqual([]);
  });

  it('remembers on a restart what is spoken for', async () => {
    const late = await startTestCluster();
    const room = { cpu: '1', memory: '1Gi', pods: '10' };
    await late.setStatus(nodes, 'node-1', { allocatable: room });
    await late.client.patch(nodes, { name: 'node-1' }, { type: 'merge', body: { spec: { taints: [] } } });
    const containers = [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }];
    await late.create(pods, 'old', { spec: { containers, nodeName: 'node-1' } });
    await late.create(pods, 'new', { spec: { containers } });
    late.start(scheduler);
    await late.settle();
    expect(late.get(pods, 'new', SPACE).spec?.nodeName).toBeUndefined();
  });
});
