import type { Condition, ConditionStatus } from '@manta/api';
import { describe, expect, it } from 'vitest';
import { conditionsOf, type Findings } from './conditions.ts';

const NOW = Date.parse('2026-08-01T12:00:00Z');
const SETTING = { now: NOW, generation: 7 };
const FINDINGS: Findings = {
  active: {},
  pending: {},
  endpoints: 0,
  configProblem: undefined,
  podFailure: undefined,
  hasFailedUpgrade: false,
};

const condition = (type: string, status: ConditionStatus, reason: string): Condition => ({
  type,
  status,
  reason,
  message: 'said before',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});
const a = { rayClusterName: 'a' };
const p = { rayClusterName: 'p' };
const short = (conditions: readonly Condition[]) =>
  conditions.map(({ type, status, reason }) => `${type}=${status}/${reason}`);

describe('the conditions of a service', () => {
  it.each<[string, readonly Condition[], Partial<Findings>, readonly string[]]>([
    ['a fresh one initialises', [], {}, ['Ready=False/Initializing', 'UpgradeInProgress=False/Initializing']],
    [
      'a reason for not being ready stays while there are no endpoints',
      [condition('Ready', 'False', 'SuspendComplete')],
      { active: a },
      ['Ready=False/SuspendComplete', 'UpgradeInProgress=False/NoPendingCluster'],
    ],
    [
      'endpoints make it ready, whatever it was',
      [condition('Ready', 'False', 'InitializingTimeout')],
      { active: a, endpoints: 1 },
      ['Ready=True/NonZeroServeEndpoints', 'UpgradeInProgress=False/NoPendingCluster'],
    ],
    [
      'a ready one that loses its endpoints is not ready',
      [condition('Ready', 'True', 'NonZeroServeEndpoints')],
      { active: a },
      ['Ready=False/ZeroServeEndpoints', 'UpgradeInProgress=False/NoPendingCluster'],
    ],
    [
      'two clusters are an upgrade',
      [condition('Ready', 'True', 'NonZeroServeEndpoints')],
      { active: a, pending: p, endpoints: 1 },
      ['Ready=True/NonZeroServeEndpoints', 'UpgradeInProgress=True/BothActivePendingClustersExist'],
    ],
    [
      'no active cluster is unknown, unless it is just starting',
      [condition('Ready', 'True', 'X'), condition('UpgradeInProgress', 'False', 'NoPendingCluster')],
      { endpoints: 1 },
      ['Ready=True/NonZeroServeEndpoints', 'UpgradeInProgress=Unknown/NoActiveCluster'],
    ],
    [
      'a first cluster on its way changes nothing',
      [condition('Ready', 'False', 'Initializing'), condition('UpgradeInProgress', 'False', 'Initializing')],
      { pending: p },
      ['Ready=False/Initializing', 'UpgradeInProgress=False/Initializing'],
    ],
    [
      'a repaired spec starts like a new one',
      [condition('Ready', 'False', 'ValidationFailed')],
      { pending: p },
      ['Ready=False/Initializing', 'UpgradeInProgress=False/Initializing'],
    ],
    [
      'a repaired spec of a service that ran says that nothing serves',
      [condition('Ready', 'False', 'ValidationFailed')],
      { active: a },
      ['Ready=False/ZeroServeEndpoints', 'UpgradeInProgress=False/NoPendingCluster'],
    ],
  ])('%s', (_, before, findings, expected) => {
    expect(short(conditionsOf(before, { ...FINDINGS, ...findings }, SETTING))).toEqual(expected);
  });

  it('change their time only with their status, and carry the generation', () => {
    const before = [condition('Ready', 'True', 'NonZeroServeEndpoints')];
    const same = conditionsOf(before, { ...FINDINGS, active: a, endpoints: 2 }, SETTING)[0];
    expect(same).toMatchObject({ lastTransitionTime: '2026-01-01T00:00:00Z', observedGeneration: 7 });
    const changed = conditionsOf(before, { ...FINDINGS, active: a }, SETTING)[0];
    expect(changed?.lastTransitionTime).toBe('2026-08-01T12:00:00Z');
  });

  it('say what is wrong while nothing serves, and no longer when it is not', () => {
    const failing = { ...a, applicationStatuses: { x: { status: 'UNHEALTHY', message: 'out of memory' } } };
    const lost = conditionsOf([condition('Ready', 'True', 'R')], { ...FINDINGS, active: failing }, SETTING);
    expect(lost[0]?.message).toBe('Number of serve endpoints dropped to 0: application x is UNHEALTHY: out of memory');
    const well = conditionsOf(lost, { ...FINDINGS, active: a }, SETTING);
    expect(well[0]?.message).toBe('Number of serve endpoints dropped to 0');
    const complained = conditionsOf([], { ...FINDINGS, configProblem: 'serveConfigV2 lists no applications' }, SETTING);
    expect(complained[0]?.message).toBe('RayService is initializing: serveConfigV2 lists no applications');
    expect(conditionsOf(complained, FINDINGS, SETTING)[0]?.message).toBe('RayService is initializing');
  });
});
