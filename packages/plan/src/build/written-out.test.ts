import type { RayClusterSpec } from '@manta/api';
import { rayClusterSpec } from '@manta/api/testing';
import { describe, expect, it } from 'vitest';
import { writtenOut } from './written-out.ts';

describe('writtenOut()', () => {
  it('writes amounts as Kubernetes does, adds a divisor and the targets of ports, and leaves the rest', () => {
    const spec: RayClusterSpec = {
      rayVersion: '2.52.0',
      autoscalerOptions: { resources: { limits: { cpu: 0.5 } } },
      headGroupSpec: {
        headService: { spec: { ports: [{ name: 'extra', port: 7777 }] } },
        template: {
          spec: {
            containers: [
              {
                name: 'ray-head',
                resources: { limits: { cpu: 1, memory: '2048Mi' }, requests: { cpu: '1000m' } },
                env: [
                  { name: 'PLAIN', value: '1000m' },
                  { name: 'MEMORY', valueFrom: { resourceFieldRef: { resource: 'limits.memory' } } },
                ],
              },
            ],
            volumes: [{ name: 'shm', emptyDir: { sizeLimit: '1024Mi' } }],
          },
        },
      },
      workerGroupSpecs: [
        {
          groupName: 'a',
          resources: { CPU: '1000m' },
          template: { spec: { containers: [{ name: 'w', resources: { limits: { cpu: 'lots' } } }] } },
        },
      ],
    };
    expect(writtenOut(spec)).toEqual({
      rayVersion: '2.52.0',
      autoscalerOptions: { resources: { limits: { cpu: '500m' } } },
      headGroupSpec: {
        headService: { spec: { ports: [{ name: 'extra', port: 7777, targetPort: 0 }] } },
        template: {
          spec: {
            containers: [
              {
                name: 'ray-head',
                resources: { limits: { cpu: '1', memory: '2Gi' }, requests: { cpu: '1' } },
                env: [
                  { name: 'PLAIN', value: '1000m' },
                  { name: 'MEMORY', valueFrom: { resourceFieldRef: { resource: 'limits.memory', divisor: '0' } } },
                ],
              },
            ],
            volumes: [{ name: 'shm', emptyDir: { sizeLimit: '1Gi' } }],
          },
        },
      },
      workerGroupSpecs: spec.workerGroupSpecs,
    });
  });

  it('changes nothing that is written so already', () => {
    const once = writtenOut(rayClusterSpec());
    expect(writtenOut(once)).toEqual(once);
  });
});
