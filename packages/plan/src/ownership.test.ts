import type { KubeObject } from '@manta/api';
import { describe, expect, it } from 'vitest';
import {
  deleteExcepted,
  deleteOwn,
  patchExcepted,
  patchOwn,
  patchSelf,
  updateExcepted,
  updateOwn,
} from './ownership.ts';
import { OWNERSHIP_EXCEPTIONS, type OwnershipException, type Rewrite, refusalOf } from './ownership-exceptions.ts';
import type { WrittenKind } from './plan.ts';

const cluster = { kind: 'RayCluster', metadata: { name: 'c', namespace: 'ns', uid: 'cluster-uid' } };
const service = {
  kind: 'RayService',
  metadata: { name: 's', uid: 'service-uid', annotations: { 'ray.io/http-route': 'shop' } },
};

function named(name: string, owner?: string): KubeObject {
  const reference = { apiVersion: 'v1', kind: 'X', name: 'x', controller: true };
  return {
    metadata: {
      name,
      uid: `${name}-uid`,
      ...(owner === undefined ? {} : { ownerReferences: [{ ...reference, uid: owner }] }),
    },
  };
}

describe.each([
  ['deleteOwn()', (seen: KubeObject) => deleteOwn('cluster-uid', 'Pod', seen)],
  ['updateOwn()', (seen: KubeObject) => updateOwn('cluster-uid', 'Pod', seen, seen)],
  ['patchOwn()', (seen: KubeObject) => patchOwn('cluster-uid', 'Pod', seen, {})],
])('%s', (_, ask) => {
  it('gives an action for an object that the owner controls', () => {
    const actions = ask(named('p', 'cluster-uid'));
    expect(actions).toHaveLength(1);
    expect(actions.map((action) => refusalOf(action, cluster))).toEqual([undefined]);
  });

  it.each([
    ['another object controls', named('p', 'other')],
    ['nobody controls', named('p')],
    ['names the owner, but not as its controller', withReference({ uid: 'cluster-uid' })],
  ])('gives none for an object that %s', (__, seen) => {
    expect(ask(seen)).toEqual([]);
  });
});

it('an owner without a uid controls nothing', () => {
  expect(deleteOwn('', 'Pod', { name: 'p', uid: 'u', owner: '' })).toEqual([]);
});

function withReference({ uid }: { readonly uid: string }): KubeObject {
  return { metadata: { name: 'p', uid: 'p-uid', ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid }] } };
}

describe('refusalOf()', () => {
  it('lets an object change itself, and no other of its kind', () => {
    const patch = patchSelf('RayCluster', cluster, {});
    expect(refusalOf(patch, cluster)).toBeUndefined();
    expect(refusalOf(patch, { metadata: { ...cluster.metadata, uid: 'recreated' } })).toMatch(/does not patch/);
  });
});

/** Each exception: an action that it is for, on behalf of whom, and what does not meet it. */
const CASES: Readonly<
  Record<
    OwnershipException['name'],
    { readonly action: Rewrite; readonly reconciled: KubeObject; readonly unmet: readonly Rewrite[] }
  >
> = {
  'head-of-own-cluster': {
    reconciled: service,
    action: label(named('p', 'cluster-uid'), { uid: 'cluster-uid', owner: 'service-uid' }),
    unmet: [
      label(named('p', 'other'), { uid: 'cluster-uid', owner: 'service-uid' }),
      label(named('p', 'cluster-uid'), { uid: 'cluster-uid', owner: 'other' }),
      label(named('p'), { uid: 'cluster-uid', owner: 'service-uid' }),
    ],
  },
  'adopted-route': {
    reconciled: service,
    action: except({ name: 'adopted-route' }, 'HTTPRoute', named('shop')),
    unmet: [except({ name: 'adopted-route' }, 'HTTPRoute', named('payments'))],
  },
  'retained-claim': {
    reconciled: cluster,
    action: except({ name: 'retained-claim', cluster: 'c' }, 'PersistentVolumeClaim', named('c-gcs-pvc')),
    unmet: [
      except({ name: 'retained-claim', cluster: 'c' }, 'PersistentVolumeClaim', named('c-gcs-pvc', 'other')),
      except({ name: 'retained-claim', cluster: 'd' }, 'PersistentVolumeClaim', named('c-gcs-pvc')),
      except({ name: 'retained-claim', cluster: undefined }, 'PersistentVolumeClaim', named('c-gcs-pvc')),
    ],
  },
  'issued-secret': {
    reconciled: cluster,
    action: except(issued('cluster-uid', 'cert'), 'Secret', named('s')),
    unmet: [
      except(issued('other', 'cert'), 'Secret', named('s')),
      except(issued('cluster-uid', 'another'), 'Secret', named('s')),
    ],
  },
  'plain-reference': {
    reconciled: cluster,
    action: except({ name: 'plain-reference', referenced: ['x', 'cluster-uid'] }, 'PluginsPodGroup', named('c')),
    unmet: [except({ name: 'plain-reference', referenced: ['x'] }, 'PluginsPodGroup', named('c'))],
  },
  'pod-of-former-cluster': {
    reconciled: { ...cluster, metadata: { ...cluster.metadata, creationTimestamp: '2026-08-01T12:00:00Z' } },
    action: former('c', '2026-08-01T11:59:00Z', named('p', 'former-uid')),
    unmet: [
      former('d', '2026-08-01T11:59:00Z', named('p', 'former-uid')),
      former(undefined, '2026-08-01T11:59:00Z', named('p', 'former-uid')),
      former('c', '2026-08-01T12:00:01Z', named('p', 'former-uid')),
      former('c', '2026-08-01T11:59:00Z', named('p')),
    ],
  },
};

function former(name: string | undefined, created: string, seen: KubeObject): Rewrite {
  return deleteExcepted({ name: 'pod-of-former-cluster', cluster: name, createdAt: Date.parse(created) }, 'Pod', seen);
}

describe.each(Object.entries(CASES))('the exception %s', (name, { action, reconciled, unmet }) => {
  it('holds for what it is for', () => {
    expect(refusalOf(action, reconciled)).toBeUndefined();
  });

  it('does not hold where it is not met', () => {
    for (const other of unmet) expect(refusalOf(other, reconciled)).toMatch(/is not its controller owner/);
    expect(refusalOf(action, { metadata: { name: 'z', uid: 'z-uid' } })).toMatch(/is not its controller owner/);
  });

  it('covers no other kind and no other action', () => {
    expect(refusalOf({ ...action, kind: 'ServiceAccount' }, reconciled)).toMatch(/is not its controller owner/);
    const rule = Object.entries(OWNERSHIP_EXCEPTIONS).find(([each]) => each === name)?.[1];
    const { target } = action;
    const others: readonly Rewrite[] = [
      { type: 'delete', kind: action.kind, name: 'p', uid: target.uid, target },
      { type: 'patch', kind: action.kind, name: 'p', patch: {}, target },
    ];
    for (const other of others.filter(({ type }) => rule?.actions.includes(type) !== true))
      expect(refusalOf(other, reconciled)).toMatch(/is not its controller owner/);
  });
});

function label(pod: KubeObject, link: { readonly uid: string; readonly owner: string }): Rewrite {
  return patchExcepted({ name: 'head-of-own-cluster', cluster: link }, 'Pod', pod, {});
}

function except(exception: OwnershipException, kind: WrittenKind, seen: KubeObject): Rewrite {
  return updateExcepted(exception, kind, seen, seen);
}

function issued(owner: string, issuedFor: string): OwnershipException {
  return { name: 'issued-secret', certificate: { name: 'cert', uid: 'cert-uid', owner }, issuedFor };
}
