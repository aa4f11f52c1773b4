import type { Pod } from '@manta/api';
import { describe, expect, it } from 'vitest';
import { group, headPod, NOW, type ObservedOptions, observed } from '../testing/observed.ts';
import { plan } from '../testing/plan-in-words.ts';
import { spareObjectName } from './object-name.ts';
import { planRayCluster } from './plan.ts';

const NAME = `a${'b'.repeat(52)}`;
const CUT = 'b'.repeat(50);
const SPARE = spareObjectName(NAME) ?? '';
const spec = {
  rayVersion: '2.55.0',
  enableInTreeAutoscaling: true,
  authOptions: { mode: 'token' as const },
  workerGroupSpecs: [group()],
};
const ANOTHER = { owner: 'else', cluster: `c${'b'.repeat(52)}` };
const FORMER = { owner: 'else', cluster: NAME };
const OURS = { owner: 'cluster-uid', cluster: NAME };
/** As it is when the cluster was looked at so long ago. */
const looked = (ms: number) => ({ observedGeneration: 1, lastUpdateTime: new Date(NOW - ms).toISOString() });

function withObjects(name: string, whose: { readonly owner: string; readonly cluster: string }): ObservedOptions {
  const found = [{ name, uid: `uid-${name}`, ...whose }];
  const children = { services: [], serviceAccounts: found, roles: found, roleBindings: found, secrets: found };
  return { metadata: { name: NAME }, spec, children };
}

/** Kinds and names of what is made, without pods and Services. */
const made = (options: ObservedOptions) => plan(options).filter((line) => /^create (S.*t|Role)/.test(line));
const warned = (options: ObservedOptions) => plan(options).filter((line) => line.startsWith('Warning SharedObject'));

/** Accounts and Secrets that new pods know. */
function known(options: ObservedOptions): readonly string[] {
  const pods = planRayCluster(observed(options)).actions.flatMap((action): readonly Pod[] =>
    action.type === 'create' && action.kind === 'Pod' ? action.objects : [],
  );
  const names = pods.flatMap((pod) => [
    pod.spec?.serviceAccountName ?? [],
    (pod.spec?.containers ?? []).flatMap(({ env = [] }) =>
      env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef?.name ?? []),
    ),
  ]);
  return [...new Set(names.flat(2))];
}

describe('a name for objects', () => {
  it('is spare only for clusters whose name is cut, and is valid, as long as may be, and different for each', () => {
    expect(spareObjectName('b'.repeat(50))).toBeUndefined();
    expect(SPARE).toMatch(/^ab{43}-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(spareObjectName(`c${'b'.repeat(52)}`)).not.toBe(SPARE);
    expect(spareObjectName(`${'a'.repeat(50)}-x`)).not.toBe(spareObjectName(`${'a'.repeat(50)}-y`));
  });

  it('is the usual one where nobody has it', () => {
    const options = { metadata: { name: NAME }, spec, children: { services: [] }, status: looked(60_000) };
    expect(made(options)).toEqual(
      ['ServiceAccount', 'Role', 'RoleBinding', 'Secret'].map((kind) => `create ${kind} ${CUT}`),
    );
    expect(known(options)).toEqual([CUT]);
  });

  it('is another where another cluster has the usual one, for all of them and in pods', () => {
    const options = withObjects(CUT, ANOTHER);
    expect(made(options)).toEqual(
      ['ServiceAccount', 'Role', 'RoleBinding', 'Secret'].map((kind) => `create ${kind} ${SPARE}`),
    );
    expect(known(options)).toEqual([SPARE]);
    expect(warned(options)).toEqual([]);
  });

  it('stays that other one when the usual one becomes free, and with pods', () => {
    const options = withObjects(SPARE, OURS);
    for (const pods of [[], [headPod()]]) {
      expect(made({ ...options, pods })).toEqual([]);
      expect(known({ ...options, pods })).toEqual([SPARE]);
    }
  });

  it('stays the usual one where pods know it, whoever has it, and that is told', () => {
    const options = { ...withObjects(CUT, ANOTHER), pods: [headPod()] };
    expect(made(options)).toEqual([]);
    expect(known(options)).toEqual([CUT]);
    expect(warned(options)).toEqual([
      expect.stringMatching(
        /^Warning SharedObjectNames: ServiceAccount ml\/b+, Role ml\/b+, RoleBinding .*, Secret ml/,
      ),
    ]);
  });

  it('stays that other one where pods know it, even when all objects are gone, as for a new token', () => {
    const options = { ...withObjects(CUT, ANOTHER), pods: [headPod({ knowsSpare: true })] };
    expect(made(options)).toEqual(
      ['ServiceAccount', 'Role', 'RoleBinding', 'Secret'].map((kind) => `create ${kind} ${SPARE}`),
    );
    expect(known(options)).toEqual([SPARE]);
    expect(warned(options)).toEqual([]);
  });

  it('does not follow pods that another cluster has made', () => {
    const stray = headPod({ owner: 'else', knowsSpare: true });
    expect(known({ ...withObjects(CUT, OURS), pods: [stray] })).toEqual([CUT]);
    expect(made({ ...withObjects(CUT, OURS), pods: [stray] })).toEqual([]);
  });

  it.each([
    ['itself', OURS],
    ['a former cluster of its name', FORMER],
  ])('stays the usual one where %s has it', (_, whose) => {
    const options = withObjects(CUT, whose);
    expect([made(options), warned(options)]).toEqual([[], []]);
    expect(known(options)).toEqual([CUT]);
  });

  it('is nothing to a cluster that needs no object of the kind that another has', () => {
    const base = withObjects(CUT, ANOTHER);
    const secrets = withObjects(CUT, OURS).children?.secrets ?? [];
    const onlyAuth = { ...base, spec: { ...spec, enableInTreeAutoscaling: false } };
    const options = { ...onlyAuth, children: { ...base.children, secrets } };
    expect(made(options)).toEqual([]);
    expect(known(options)).toEqual([CUT]);
    const pods = [headPod()];
    expect(warned({ ...options, pods })).toEqual([]);
    expect(warned({ ...base, pods, spec: { workerGroupSpecs: [group()] } })).toEqual([]);
    expect(warned({ ...onlyAuth, pods })).toEqual([
      expect.stringMatching(/^Warning SharedObjectNames: Secret ml\/b+ /),
    ]);
  });

  it('is another where two clusters have come to share the usual one between them', () => {
    const base = withObjects(CUT, ANOTHER);
    const options = { ...base, children: { ...base.children, roles: withObjects(CUT, OURS).children?.roles ?? [] } };
    expect(known(options)).toEqual([SPARE]);
  });

  it("leaves an account and a Secret of the user's own alone", () => {
    const base = withObjects(CUT, ANOTHER);
    const { template } = group();
    const own = {
      ...spec,
      authOptions: { mode: 'token' as const, secretName: 'mine' },
      headGroupSpec: { template: { spec: { containers: [], ...template.spec, serviceAccountName: 'my-account' } } },
    };
    const serviceAccounts = [{ name: 'my-account', uid: 'u', owner: undefined }];
    const options = { ...base, spec: own, children: { ...base.children, serviceAccounts } };
    expect(made(options)).toEqual([`create Role ${SPARE}`, `create RoleBinding ${SPARE}`]);
    expect(known(options).toSorted()).toEqual(['mine', 'my-account']);
  });
});

describe('pods of a cluster whose name is cut', () => {
  const fresh: ObservedOptions = { metadata: { name: NAME }, spec, children: { services: [] } };
  const look = (options: ObservedOptions) => planRayCluster(observed(options)).requeueAfterMs;

  it.each<[string, ObservedOptions, boolean]>([
    ['wait when its objects are tried for the first time', fresh, true],
    ['wait while nobody knows yet who has made them', { ...fresh, status: looked(1000) }, true],
    ['do not wait for what is never shown', { ...fresh, status: looked(3000) }, false],
    ['come once its own are there', withObjects(CUT, OURS), false],
    ['come where it needs none', { ...fresh, spec: { workerGroupSpecs: [group()] } }, false],
    ['come under a name that is not cut', { ...fresh, metadata: { name: CUT } }, false],
    ['come where there are some', { ...fresh, pods: [headPod()] }, false],
  ])('%s', (_, options, isWaiting) => {
    const hasPods = plan(options).some((line) => line.startsWith('create Pod'));
    expect([hasPods, look(options) === 1000]).toEqual([!isWaiting, isWaiting]);
  });

  it('go meanwhile if they have to', () => {
    const lines = plan({
      ...fresh,
      gates: { RayClusterStatusConditions: false },
      spec: { ...spec, suspend: true },
      pods: [headPod({ knowsSpare: undefined })],
    });
    expect(lines).toContainEqual(expect.stringMatching(/^delete Pod /));
  });
});
