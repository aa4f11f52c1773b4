import { describe, expect, it } from 'vitest';
import { allReady } from '../testing/cases/case.ts';
import { CLUSTER_CASES } from '../testing/cases/clusters.ts';
import { JOB_CASES } from '../testing/cases/jobs.ts';
import { POD_CASES } from '../testing/cases/pods.ts';
import { SERVICE_CASES } from '../testing/cases/services.ts';
import { NAMESPACE, recorded } from '../testing/index.ts';
import { CAUSES } from './codes.ts';
import { why } from './why.ts';

const CASES = [...POD_CASES, ...CLUSTER_CASES, ...JOB_CASES, ...SERVICE_CASES];
const PROGRESS = new Set([
  'PodStarting',
  'WaitingForHead',
  'ServeDeploying',
  'ServeNotStarted',
  'Upgrading',
  'JobStarting',
]);

describe('why()', () => {
  it.each(CASES.map((row) => [row.kind ?? 'RayCluster', row.title, row.code, row] as const))(
    'names the cause of a %s with %s: %s',
    (kind, _, code, { world, sentence }) => {
      const { health, cause, chain } = why(world, { kind, namespace: NAMESPACE, name: 'demo' });
      expect(cause).toMatchObject({ code, sentence });
      expect(health).toBe(PROGRESS.has(code) ? 'progressing' : 'unhealthy');
      expect(cause?.evidence.length).toBeGreaterThan(0);
      expect(cause?.action).toMatch(/^[A-Z].*\S$/);
      expect(chain[0]?.object).toMatchObject({ kind, name: 'demo' });
    },
  );

  it('has a case for every code', () => {
    const covered = new Set<string>(CASES.map(({ code }) => code));
    expect(Object.keys(CAUSES).filter((code) => !covered.has(code))).toEqual([]);
  });

  it('finds nothing wrong with a RayCluster whose pods are ready', () => {
    const ref = { kind: 'RayCluster', namespace: NAMESPACE, name: 'demo' } as const;
    expect(why(recorded(allReady()), ref)).toEqual({
      ref,
      health: 'healthy',
      chain: [],
      others: [],
      missingRights: [],
    });
  });

  it('says that an object does not exist', () => {
    expect(why(recorded({}), { kind: 'RayJob', namespace: NAMESPACE, name: 'demo' }).health).toBe('gone');
  });

  it('follows a chain from the RayCluster to the pod', () => {
    const [first] = POD_CASES;
    const chain = first && why(first.world, { kind: 'RayCluster', namespace: NAMESPACE, name: 'demo' }).chain;
    expect(chain?.map(({ object, says }) => `${object.kind}/${object.name}: ${says}`)).toEqual([
      'RayCluster/demo: head not ready, 0 of 2 workers ready',
      'Pod/demo-head: pending',
    ]);
  });
});
