import { describe, expect, it } from 'vitest';
import { alreadyDeployed } from './already-deployed.ts';
import type { HeadMemory } from '../memory.ts';

type Given = Parameters<typeof alreadyDeployed>;

const APP = { name: 'app', import_path: 'app:graph', deployments: [{ name: 'd', num_replicas: 2 }] };
const FRESH: HeadMemory = { session: 's', failedAttempts: 0, backoffUntil: 0 };

interface Case {
  readonly wanted?: object;
  readonly deployed?: object | undefined;
  readonly status?: string;
  readonly capacity?: number;
  readonly wantedCapacity?: number;
  readonly head?: Partial<HeadMemory>;
}

function taken(given: Case) {
  const { wanted = { applications: [APP] }, status = 'RUNNING', capacity, wantedCapacity, head = {} } = given;
  const config = 'deployed' in given ? given.deployed : { applications: [APP] };
  const state = { spec: { serveConfigV2: 'text' }, serveConfig: { ok: true, value: wanted } };
  const view = { serve: { kind: 'known', at: 7, applications: { app: { status } }, config, capacity } };
  const side = { status: { targetCapacity: wantedCapacity } };
  return alreadyDeployed(...([state, side, view, { ...FRESH, ...head }] as unknown as Given));
}

describe('the configuration that Serve reports', () => {
  it('counts as taken when it is the wanted one and runs', () => {
    expect(taken({})).toMatchObject({ text: 'text', at: 7, capacity: undefined });
  });

  it('may list its applications in another order', () => {
    const other = { name: 'aa', import_path: 'b' };
    expect(taken({ wanted: { applications: [APP, other] }, deployed: { applications: [other, APP] } })).toBeDefined();
  });

  it('may leave out what Serve reads only when it starts', () => {
    expect(taken({ wanted: { applications: [APP], http_options: { port: 8000 } } })).toBeDefined();
  });

  it('may name the whole capacity or none', () => {
    expect(taken({ capacity: 100 })).toBeDefined();
    expect(taken({ wantedCapacity: 100 })).toBeDefined();
  });

  it.each<[string, Case]>([
    ['another field', { deployed: { applications: [{ ...APP, route_prefix: '/x' }] } }],
    ['another application', { deployed: { applications: [APP, { name: 'b' }] } }],
    ['nothing', { deployed: undefined }],
    ['logging options that it does not report', { wanted: { applications: [APP], logging_config: {} } }],
    ['an application that does not run', { status: 'DEPLOYING' }],
    ['another capacity', { capacity: 50 }],
    ['a capacity below the wanted one', { capacity: 40, wantedCapacity: 60 }],
    [
      'one that follows a submission',
      { head: { inFlight: { text: 't', config: {}, capacity: 1, id: 'i', isCapacityOnly: false } } },
    ],
    ['one that follows a refusal', { head: { refusal: 'no' } }],
  ])('does not count with %s', (_, given) => {
    expect(taken(given)).toBeUndefined();
  });
});
