import { describe, expect, it } from 'vitest';
import { describeCapacity, nodeCapacity } from './capacity.ts';

const small = { cpus: 2, memoryBytes: 8 * 2 ** 30 };

describe('the capacity of the node', () => {
  it('is twice the CPUs, at least four, and the memory without 1 GiB, and the line states what the machine has', () => {
    expect(nodeCapacity({}, small)).toMatchObject({ cpu: '4', memory: '7168Mi' });
    expect(nodeCapacity({}, { ...small, cpus: 16 }).cpu).toBe('32');
    expect(describeCapacity(nodeCapacity({}, small), {}, small)).toBe(
      'pods can request 4 CPUs and 7 GiB of memory in total (this machine has 2 CPUs and 8 GiB; --cpus and --memory set it)',
    );
  });

  it('is what the user asks for, also beyond the machine', () => {
    const wanted = { cpus: '64', memory: '1Ti' };
    expect(nodeCapacity(wanted, small)).toMatchObject({ cpu: '64', memory: '1Ti' });
    expect(describeCapacity(nodeCapacity(wanted, small), wanted, small)).toBe(
      'pods can request 64 CPUs and 1024 GiB of memory in total (this machine has 2 CPUs and 8 GiB)',
    );
  });
});
