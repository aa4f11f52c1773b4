import { WRITES } from '@manta/apiserver/testing';
import type { Simulation } from './simulation.ts';

/**
 * What can go wrong. Each fault begins when it is called and ends by itself, or when calm returns. A run allows only some of them:
 * many mistakes show best where most things work.
 */
export const FAULTS = {
  /** The program dies, and another life of it begins, soon or late. */
  crash: (sim) => {
    sim.crash();
    sim.later('start', range(sim, [0, 50, 2_000, 20_000]), () => sim.ensureRunning());
  },
  /** An orderly stop and a new start that does not wait for it. */
  restart: (sim) => {
    sim.stopGracefully();
    sim.later('start', range(sim, [0, 1_000]), () => sim.startAnother());
  },
  /** A new instance starts while the old one goes on writing for a while. */
  overlap: (sim) => {
    const old = sim.running;
    sim.startAnother();
    sim.later('end of the old', range(sim, [10, 1_000, 15_000]), () => old?.crash());
  },
  /** Events of some kinds, or of all, are held back. */
  freeze: (sim) => {
    const resource = sim.anyResource();
    const release = sim.board.freeze(resource === undefined ? {} : { resources: [resource] });
    sim.later('thaw', range(sim, [100, 3_000, 12_000, 40_000]), release);
  },
  /** Watches break. */
  cut: (sim) => void sim.board.cut(sim.choices.pick(2) === 0 ? 'reset' : 'end'),
  /** Watches end with 410. */
  expire: (sim) => void sim.board.cut('expired'),
  /** History is forgotten, and watches have to begin anew. */
  compact: (sim) => {
    sim.store.compact(sim.store.revision);
    sim.board.cut('reset');
  },
  /** Requests or answers get lost, noticed at once or not. */
  lose: (sim) => {
    const what = (['unsent', 'request', 'answer'] as const)[sim.choices.pick(3)] ?? 'request';
    const isSilent = sim.choices.chance(0.5);
    const end = sim.board.add({ chance: 0.3, fault: { kind: 'lose', what, isSilent } });
    sim.later('no more losses', range(sim, [100, 5_000, 40_000]), end);
  },
  /** The server says no to some writes. */
  refuse: (sim) => {
    const code = [409, 429, 500, 503][sim.choices.pick(4)] ?? 500;
    const end = sim.board.add({ when: { verbs: WRITES }, chance: 0.5, fault: { kind: 'refuse', code } });
    sim.later('no more refusals', range(sim, [500, 5_000, 30_000]), end);
  },
  /** Somebody in between, a webhook or a policy, lets nothing of a kind be made. */
  deny: (sim) => {
    const resource = sim.anyResource();
    const when = { verbs: ['create'], ...(resource === undefined ? {} : { resources: [resource] }) } as const;
    const message = 'admission webhook "policy.example.com" denied the request';
    const end = sim.board.add({ when, fault: { kind: 'refuse', code: 403, message } });
    sim.later('admission again', range(sim, [500, 5_000, 30_000]), end);
  },
  /** Messages take long. */
  slow: (sim) => sim.slowDown(range(sim, [1_000, 10_000])),
  /** Watches are opened on a replica that is behind, by the old program or by a new life of it. */
  stale: (sim) => {
    sim.replica.hold();
    const end = sim.board.add({ when: { verbs: ['watch'] }, fault: { kind: 'stale' } });
    sim.later('replica catches up', range(sim, [500, 5_000, 30_000]), () => {
      end();
      sim.replica.release();
    });
    sim.later('move to the replica', range(sim, [100, 3_000]), () => {
      if (sim.choices.chance(0.5)) sim.board.cut('reset');
      else FAULTS.crash(sim);
    });
  },
} as const satisfies Record<string, (sim: Simulation) => void>;

export type FaultName = keyof typeof FAULTS;

/** One of these, give or take. */
function range(sim: Simulation, values: readonly number[]): number {
  const value = values[sim.choices.pick(values.length)] ?? 0;
  return value + sim.choices.pick(10) * (value / 10);
}
