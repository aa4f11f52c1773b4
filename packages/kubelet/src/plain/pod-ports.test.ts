import { describe, expect, it } from 'vitest';
import { PodPorts, portsIn } from './pod-ports.ts';
import { PortPool } from './port-pool.ts';

describe('ports', () => {
  it('of two pods are never the same, and those that somebody listens on are nobody’s', async () => {
    const pool = new PortPool(
      () => 0,
      async (port) => port !== 20_001,
    );
    const [a, b] = [new PodPorts(pool), new PodPorts(pool)];
    await a.add([6379, 8265]);
    await b.add([6379, 6379]);
    expect([a.toObject(), b.toObject()]).toEqual([{ 6379: 20_000, 8265: 20_002 }, { 6379: 20_003 }]);
    expect([a.realOf(8265), a.realOf(80), a.has(80)]).toEqual([20_002, 80, false]);
  });

  it('that a pod had are given to others when all have had their turn', async () => {
    const pool = new PortPool(
      () => 0,
      async (port) => port === 20_000,
    );
    const pod = new PodPorts(pool);
    await pod.add([1]);
    await expect(pool.take()).rejects.toThrow('no port from 20000 to 31999 is free on this machine');
    pod.giveBack();
    expect(await pool.take()).toBe(20_000);
  });

  it('that only a container speaks of may be taken as they are; never those of Ray', async () => {
    const ports = new PodPorts(new PortPool(Math.random, async () => true));
    await ports.add([8265]);
    await ports.declare([80, 6380, 8265]);
    await ports.add([6380]);
    expect([80, 6380, 8265, 9999].map((port) => ports.mayBeItself(port))).toEqual([true, false, false, true]);
    expect([80, 6380, 8265].every((port) => ports.has(port))).toBe(true);
  });

  it('that Ray is told to take are found in commands', () => {
    const words = ['bash', '-c', 'ray start --head --port=6380 --dashboard-port 8266 --num-cpus=4 --import=1'];
    expect(portsIn(words)).toEqual([6380, 8266]);
  });
});
