import { describe, expect, it } from 'vitest';
import { requestsOf, usageFromMetrics, usageFromRay } from './usage.ts';

describe('usageFromMetrics()', () => {
  it('adds the containers of each pod', () => {
    const containers = [{ usage: { cpu: '250m', memory: '1Gi' } }, { usage: { cpu: '1', memory: '1Mi' } }];
    const usage = usageFromMetrics({ items: [{ metadata: { name: 'p' }, containers }] });
    expect(usage.get('p')).toEqual({ milliCpus: 1250, memoryBytes: 1024 ** 3 + 1024 ** 2 });
  });

  it.each([undefined, {}, { items: 3 }, { items: [null] }])('takes %j', (answer) => {
    expect(() => usageFromMetrics(answer)).not.toThrow();
  });
});

describe('usageFromRay()', () => {
  it('reads a node of the dashboard', () => {
    const node = {
      ip: '10.0.0.1',
      cpu: 50,
      cpus: [2, 1],
      mem: [100, 40, 60, 60],
      gpus: [{ utilizationGpu: 20 }, { utilizationGpu: 60 }],
      raylet: { objectStoreUsedMemory: 7 },
    };
    expect(usageFromRay({ data: { summary: [node] } }).get('10.0.0.1')).toEqual({
      milliCpus: 1000,
      memoryBytes: 60,
      gpuPercent: 40,
      objectStoreBytes: 7,
    });
  });
});

describe('requestsOf()', () => {
  it('adds all containers', () => {
    const requests = { cpu: '500m', memory: '1Ki' };
    const container = { name: 'c', image: 'i', resources: { requests } };
    expect(requestsOf({ spec: { containers: [container, container] } })).toEqual({
      milliCpus: 1000,
      memoryBytes: 2048,
    });
  });
});
