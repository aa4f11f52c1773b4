import type { Node, Pod } from '@manta/api';
import { expect, it } from 'vitest';
import { nodeLoad } from './node-load.ts';

const node: Node = { status: { allocatable: { cpu: '4', memory: '8Gi' } } };
const pod = (cpu: string, more: Pod = {}): Pod => ({
  spec: { nodeName: 'own', containers: [{ name: 'c', resources: { requests: { cpu, memory: '1Gi' } } }] },
  ...more,
});

it('nodeLoad() subtracts the requests of placed pods that have not ended', () => {
  const ended = pod('1', { status: { phase: 'Succeeded' } });
  const unplaced: Pod = { spec: { containers: [{ name: 'c', resources: { requests: { cpu: '64' } } }] } };
  expect(nodeLoad([node], [pod('500m'), pod('2'), ended, unplaced])).toEqual({
    cpus: { total: 4, free: 1.5 },
    memory: { total: 8 * 2 ** 30, free: 6 * 2 ** 30 },
  });
});
