import { amountsOf } from '@manta/plan';
import { describe, expect, it } from 'vitest';
import { nodeRecord } from './rayservice-cache.ts';

const ready = (status: string) => [{ type: 'Ready', status }];
const allocatable = { cpu: '4', memory: '8Gi' };

describe('a node', () => {
  it('has the room that it offers', () => {
    expect(nodeRecord({ status: { conditions: ready('True'), allocatable } })).toEqual({
      room: { allocatable: amountsOf(allocatable) },
    });
  });

  it.each([
    ['is not ready', { status: { conditions: ready('False'), allocatable } }],
    ['has not said anything', {}],
    ['takes no more pods', { spec: { unschedulable: true }, status: { conditions: ready('True'), allocatable } }],
  ])('that %s has none', (_, node) => {
    expect(nodeRecord(node)).toEqual({ room: undefined });
  });
});
