import type { Ingress } from '@manta/api';
import { describe, expect, it } from 'vitest';
import { headPod, type ObservedOptions } from '../testing/observed.ts';
import { plan } from '../testing/plan-in-words.ts';
import { spareIngressName } from './ingress.ts';

const LONG = `team-a-${'x'.repeat(40)}`;
const TWIN = `team-b-${'x'.repeat(40)}`;
const USUAL = `${'x'.repeat(37)}-head-ingress`;
const SPARE = spareIngressName(LONG) ?? '';

function ingress(name: string, uid: string): Ingress {
  const ownerReferences = [{ apiVersion: 'ray.io/v1', kind: 'RayCluster', name: 'x', uid, controller: true }];
  return { metadata: { name, uid: `${name}-uid`, ownerReferences } };
}

/** The Ingress that is planned for, besides other actions. */
function planned(name: string, ingresses: readonly Ingress[], enableIngress = true): readonly string[] {
  const template = { spec: { containers: [{ name: 'ray', image: 'x' }] } };
  const options: ObservedOptions = {
    metadata: { name },
    spec: { headGroupSpec: { template, rayStartParams: {}, enableIngress } },
    pods: [headPod()],
    children: { ingresses },
  };
  return plan(options).filter((line) => line.includes('Ingress '));
}

describe('the Ingress of a cluster whose name is cut', () => {
  it('has the usual name where nobody else has it', () => {
    expect(planned(LONG, [])).toEqual([`create Ingress ${USUAL}`]);
  });

  it('has a name of its own where another cluster has the usual one', () => {
    expect(planned(LONG, [ingress(USUAL, 'another')])).toEqual([`create Ingress ${SPARE}`]);
    expect(spareIngressName(TWIN)).not.toBe(SPARE);
    expect(SPARE).toMatch(/^[a-z0-9-]{1,50}$/);
  });

  it('keeps the name that it has', () => {
    expect(planned(LONG, [ingress(USUAL, 'cluster-uid')])).toEqual([`update Ingress ${USUAL}`]);
    expect(planned(LONG, [ingress(SPARE, 'cluster-uid')])).toEqual([`update Ingress ${SPARE}`]);
  });

  it('is deleted under either name, and no other is', () => {
    expect(planned(LONG, [ingress(USUAL, 'another'), ingress(SPARE, 'cluster-uid')], false)).toEqual([
      `delete Ingress ${SPARE}`,
    ]);
  });
});

it('a name that is not cut has no spare', () => {
  expect(spareIngressName('x'.repeat(37))).toBeUndefined();
});
