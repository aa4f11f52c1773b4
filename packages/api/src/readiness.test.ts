import { describe, expect, it } from 'vitest';
import type { Pod } from './core.gen.ts';
import type { Loose } from './loose.ts';
import { areAllPodsRunning, isGatewayReady, isHttpRouteReady, isPodRunningAndReady, jobOutcome } from './readiness.ts';

function pod(phase: string, ready?: 'True' | 'False'): Loose<Pod> {
  const conditions = ready === undefined ? [] : [{ type: 'Ready', status: ready }];
  return { status: { phase, conditions } };
}

const yes = (...types: string[]) => types.map((type) => ({ type, status: 'True' }));

describe('pods', () => {
  it('are ready where they run and say so', () => {
    expect(isPodRunningAndReady(pod('Running', 'True'))).toBe(true);
    expect(isPodRunningAndReady(pod('Running'))).toBe(false);
    expect(isPodRunningAndReady(pod('Pending', 'True'))).toBe(false);
  });

  it.each([
    ['no pods', [], false],
    ['a pod that says nothing on readiness', [pod('Running')], true],
    ['a pod that is not ready', [pod('Running', 'True'), pod('Running', 'False')], false],
    ['a pod that does not run', [pod('Running', 'True'), pod('Failed')], false],
  ])('all run, given %s', (_title, pods, running) => {
    expect(areAllPodsRunning(pods)).toBe(running);
  });
});

describe('a Job', () => {
  it.each([
    [[], undefined],
    [[{ type: 'Complete', status: 'False' }], undefined],
    [[{ type: 'SuccessCriteriaMet', status: 'True' }], undefined],
    [[{ type: 'Complete', status: 'True' }], 'Complete'],
    [[{ type: 'Failed', status: 'True' }], 'Failed'],
    [[{ type: 'FailureTarget', status: 'True' }], 'Failed'],
  ])('with conditions %j has the outcome %s', (conditions, outcome) => {
    expect(jobOutcome({ status: { conditions } })).toBe(outcome);
  });
});

describe('Gateway API', () => {
  const gateway = { metadata: { name: 'gw', namespace: 'ns' } };

  it('takes a Gateway as ready once it is accepted and programmed', () => {
    expect(isGatewayReady({ status: { conditions: yes('Accepted', 'Programmed') } })).toBe(true);
    expect(isGatewayReady({ status: { conditions: yes('Accepted') } })).toBe(false);
    expect(isGatewayReady(undefined)).toBe(false);
  });

  it.each([
    ['our Gateway', { name: 'gw' }, true],
    ['our Gateway by namespace', { name: 'gw', namespace: 'ns' }, true],
    ['a Gateway of another namespace', { name: 'gw', namespace: 'other' }, false],
    ['another Gateway', { name: 'other' }, false],
    ['no Gateway', {}, false],
  ])('takes a route as ready once %s has accepted it', (_title, parentRef, ready) => {
    const route = { status: { parents: [{ parentRef, conditions: yes('Accepted', 'ResolvedRefs') }] } };
    expect(isHttpRouteReady(route, gateway)).toBe(ready);
  });

  it('waits for a route’s backends', () => {
    const route = { status: { parents: [{ parentRef: { name: 'gw' }, conditions: yes('Accepted') }] } };
    expect(isHttpRouteReady(route, gateway)).toBe(false);
  });
});
