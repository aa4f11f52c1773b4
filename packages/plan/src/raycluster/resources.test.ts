import type { RayCluster, RayClusterSpec, ResourceRequirements, WorkerGroupSpec } from '@manta/api';
import { rayCluster, withHead, withWorkerGroup } from '@manta/api/testing';
import { describe, expect, it } from 'vitest';
import { desiredResources } from './resources.ts';

const template = (...containers: readonly ResourceRequirements[]) => ({
  spec: { containers: containers.map((resources, i) => ({ name: `c${i}`, resources })) },
});
const noHead = withHead({ template: template({}) });
const group = (resources: ResourceRequirements, overrides: Partial<WorkerGroupSpec> = {}) =>
  withWorkerGroup('g', { template: template(resources), ...overrides });
const sums = (...changes: readonly ((cluster: RayCluster) => RayCluster)[]) =>
  desiredResources(rayCluster('demo', noHead, ...changes).spec as RayClusterSpec);

describe('desiredResources()', () => {
  it('is zero where nothing is asked for', () => {
    expect(sums()).toEqual({ desiredCPU: '0', desiredMemory: '0', desiredGPU: '0', desiredTPU: '0' });
  });

  it('adds all containers of all pods, requests before limits', () => {
    const head = withHead({
      template: template(
        { limits: { cpu: '2', memory: '1Gi' }, requests: { cpu: '750m' } },
        { limits: { cpu: '100m', memory: '100M' } },
      ),
    });
    expect(desiredResources(rayCluster('demo', head).spec as RayClusterSpec)).toMatchObject({
      desiredCPU: '850m',
      desiredMemory: '1173741824',
    });
  });

  it.each<[string, Partial<WorkerGroupSpec>, string]>([
    ['replicas', { replicas: 3 }, '3'],
    ['replicas beyond the maximum', { replicas: 9, maxReplicas: 2 }, '2'],
    ['replicas below the minimum', { replicas: 0, minReplicas: 2 }, '2'],
    ['a suspended group', { replicas: 3, suspend: true }, '0'],
    ['several hosts', { replicas: 2, numOfHosts: 4 }, '8'],
  ])('counts %s', (_, overrides, expected) => {
    expect(sums(group({ limits: { cpu: 1 } }, overrides)).desiredCPU).toBe(expected);
  });

  it('counts every kind of GPU, and TPUs apart', () => {
    const limits = { 'nvidia.com/gpu': '1', 'amd.com/gpu': 2, 'nvidia.com/mig-1g.5gb': '4', 'google.com/tpu': '8' };
    expect(sums(group({ limits }))).toMatchObject({ desiredGPU: '7', desiredTPU: '8' });
  });

  it('stays exact for numbers that no float holds', () => {
    const many = group({ limits: { memory: '9007199254740993' } }, { replicas: 2000, maxReplicas: 2000 });
    expect(sums(many).desiredMemory).toBe('18014398509481986k');
  });

  it('leaves out a quantity that cannot be read', () => {
    expect(sums(group({ limits: { cpu: 'many', memory: '1Gi' } }))).toMatchObject({
      desiredCPU: '0',
      desiredMemory: '1Gi',
    });
  });
});
