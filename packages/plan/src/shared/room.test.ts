import { describe, expect, it } from 'vitest';
import { amountsOf } from '../amounts.ts';
import { lackingResource, largestNode, roomInWords } from './room.ts';

const node = (name: string, cpu: string, memory: string) => ({ name, allocatable: amountsOf({ cpu, memory }) });
const LARGE = node('large', '4', '16393236Ki');
const nodes = [node('small', '2', '64Gi'), LARGE];

describe('roomInWords()', () => {
  it.each([
    ['cpu', { cpu: '64' }, [{ cpu: '2' }, { cpu: '500m' }], 'asks for 64 CPUs; the largest node has 4, 1.5 free'],
    ['cpu', { cpu: '1' }, [{ cpu: '4' }], 'asks for 1 CPU; the largest node has 4, 0 free'],
    [
      'memory',
      { memory: '20Gi' },
      [{ memory: '512Mi' }],
      'asks for 20Gi of memory; the largest node has 15.6Gi, 15.1Gi free',
    ],
    ['nvidia.com/gpu', { 'nvidia.com/gpu': '1' }, [], 'asks for 1 nvidia.com/gpu; the largest node has 0, 0 free'],
  ])('says of %s what is asked for, what there is and what is free', (resource, asked, used, expected) => {
    expect(roomInWords(resource, amountsOf(asked), LARGE, used.map(amountsOf))).toBe(expected);
  });

  it('leaves out what is free if pods may not be read', () => {
    expect(roomInWords('cpu', amountsOf({ cpu: '64' }), LARGE, undefined)).toBe(
      'asks for 64 CPUs; the largest node has 4',
    );
  });

  it('says that no node takes pods', () => {
    expect(roomInWords('cpu', amountsOf({ cpu: '1' }), undefined, undefined)).toBe(
      'asks for 1 CPU; no node takes pods',
    );
  });
});

describe('largestNode()', () => {
  it('is the node with the most of the resource', () => {
    expect(largestNode(nodes, 'cpu')?.name).toBe('large');
    expect(largestNode(nodes, 'memory')?.name).toBe('small');
  });
});

describe('lackingResource()', () => {
  it.each([
    ['0/1 nodes are available: 1 Insufficient cpu. preemption: none', 'cpu'],
    ['0/3 nodes are available: 3 Insufficient nvidia.com/gpu.', 'nvidia.com/gpu'],
    ["0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.", undefined],
  ])('reads %j', (message, resource) => {
    expect(lackingResource(message)).toBe(resource);
  });
});
