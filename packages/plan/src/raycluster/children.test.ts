import { describe, expect, it } from 'vitest';
import { HEAD, headPod, headService, type ObservedOptions, observed } from '../testing/observed.ts';
import { plan } from '../testing/plan-in-words.ts';
import { planRayCluster } from './plan.ts';

const named = (name: string, owner = 'cluster-uid') => ({ name, uid: `uid-${name}`, owner });
const pods = [headPod()];

describe('the way in from outside', () => {
  const openShift = { installed: { openShift: true }, pods };
  const wanted = { headGroupSpec: { ...HEAD, enableIngress: true } };

  it.each<[string, ObservedOptions, readonly string[]]>([
    ['is a Route on OpenShift', { ...openShift, spec: wanted }, ['create Route demo-head-route']],
    ['is made once', { ...openShift, spec: wanted, children: { routes: [named('r')] } }, []],
    [
      'is an Ingress there, too, where the installation says so',
      { ...openShift, spec: wanted, env: { USE_INGRESS_ON_OPENSHIFT: 'true' } },
      ['create Ingress demo-head-ingress'],
    ],
    [
      'is taken away when it is no longer wanted',
      { ...openShift, children: { routes: [named('r')] } },
      ['delete Route r'],
    ],
    ['stays when somebody else has made it', { ...openShift, children: { routes: [named('r', 'else')] } }, []],
  ])('%s', (_, options, expected) => {
    expect(plan(options)).toEqual(expected);
  });
});

describe('Services under a name that is taken', () => {
  const whenExists = (options: ObservedOptions) =>
    planRayCluster(observed(options)).actions.flatMap((action) =>
      action.type === 'create' && action.kind === 'Service' ? [action.whenExists] : [],
    );

  it('are a failure where pods need them', () => {
    expect(whenExists({ pods, children: { services: [] } })).toEqual(['fine-if-ours']);
  });

  it('do not keep a cluster from its pods where it is the serve Service', () => {
    const metadata = { annotations: { 'ray.io/enable-serve-service': 'true' } };
    expect(whenExists({ pods, metadata, children: { services: [headService()] } })).toEqual(['fine']);
  });
});

describe('the autoscaler', () => {
  const spec = { enableInTreeAutoscaling: true };

  it('gets its account, role and binding before the first pod', () => {
    expect(plan({ spec })).toEqual([
      'create ServiceAccount demo',
      'create Role demo',
      'create RoleBinding demo',
      'create Pod demo-head-?',
    ]);
  });

  it("waits for the user's own account", () => {
    const template = { spec: { ...HEAD.template.spec, serviceAccountName: 'mine' } };
    const own = { ...spec, headGroupSpec: { ...HEAD, template } };
    expect(plan({ spec: own }).slice(0, 2)).toEqual([
      expect.stringMatching(/^Warning AutoscalerServiceAccountNotFound: .* ServiceAccount mine is not found\./),
      'fail: serviceaccounts "mine" not found',
    ]);
    expect(plan({ spec: own, children: { serviceAccounts: [named('mine', '')] } })).not.toContain(
      'fail: serviceaccounts "mine" not found',
    );
  });
});
