import type { Pod } from '@manta/api';
import { describe, expect, it } from 'vitest';
import { group, headPod, type ObservedOptions, observed } from '../testing/observed.ts';
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
    const options = { metadata: { name: NAME }, spec, children: { services: [] } };
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

  it.each([
    ['itself', OURS],
    ['a former cluster of its name', FORMER],
  ])('stays the usual one where %s has it', (_, whose) => {
    const options = withObjects(CUT, whose);
    expect([made(options), warned(options)]).toEqual([[], []]);
    expect(known(options)).toEqual([CUT]);
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
