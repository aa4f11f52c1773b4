import { describe, expect, it } from 'vitest';
import { HEAD, headPod, headService, type ObservedOptions, observed } from '../testing/observed.ts';
import { plan } from '../testing/plan-in-words.ts';
import { planRayCluster } from './plan.ts';

const named = (name: string, owner = 'cluster-uid') => ({ name, uid: `uid-${name}`, owner });
const pods = [headPod()];
const routeTo = (targetPort: number) => ({
  metadata: { name: 'demo-head-route' },
  spec: { to: { kind: 'Service', name: 'demo-head-svc', weight: 100 }, port: { targetPort }, wildcardPolicy: 'None' },
});

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
    [
      'follows the dashboard to another port',
      {
        ...openShift,
        spec: wanted,
        children: { routes: [{ ...named('demo-head-route'), route: routeTo(9999) }] },
      },
      ['update Route demo-head-route'],
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

describe("the autoscaler's binding", () => {
  const account = (serviceAccountName?: string) => ({
    enableInTreeAutoscaling: true,
    headGroupSpec: {
      ...HEAD,
      template: {
        spec: { ...HEAD.template.spec, ...(serviceAccountName === undefined ? {} : { serviceAccountName }) },
      },
    },
  });
  const bound = (accounts: readonly string[] | undefined, owner?: string) => ({
    serviceAccounts: [named('demo'), named('mine', '')],
    roles: [named('demo')],
    roleBindings: [{ ...named('demo', owner), accounts }],
  });
  const anew = ['delete RoleBinding demo', 'create RoleBinding demo', 'create Pod demo-head-?'];

  it.each<[string, ObservedOptions, readonly string[]]>([
    ['follows the head to another account', { spec: account('mine'), children: bound(['demo']) }, anew],
    ['comes back from it', { spec: account(), children: bound(['mine']) }, anew],
    ['stays while a head runs that has the old one', { pods, spec: account('mine'), children: bound(['demo']) }, []],
    [
      'stays where it gives rights to others, too',
      { spec: account('mine'), children: bound(['demo', 'mine']) },
      ['create Pod demo-head-?'],
    ],
    [
      'stays where it is not ours',
      { spec: account('mine'), children: bound(['demo'], 'else') },
      ['create Pod demo-head-?'],
    ],
    [
      'stays where nobody knows whom it is for',
      { spec: account('mine'), children: bound(undefined) },
      ['create Pod demo-head-?'],
    ],
  ])('%s', (_, options, expected) => {
    expect(plan(options)).toEqual(expected);
  });

  it('is not made anew for a cluster that is suspended', () => {
    const suspended = { ...account('mine'), suspend: true };
    expect(plan({ spec: suspended, children: bound(['demo']) }).filter((each) => each.includes('RoleBinding'))).toEqual(
      [],
    );
  });

  it('is made anew before the head comes, unless nobody has allowed it to us: then the head comes all the same', () => {
    const { actions } = planRayCluster(observed({ spec: account('mine'), children: bound(['demo']) }));
    expect(actions[0]).toMatchObject({ type: 'delete', uid: 'uid-demo', mayBeForbidden: true });
    expect(actions[1]).toMatchObject({ type: 'create', whenExists: 'fine', mayBeForbidden: true });
  });
});

const FOREIGN_ROLE =
  'Warning FailedToCreateRole: Role ml/demo exists and is not controlled by RayCluster ml/demo: it is not bound, and the autoscaler gets no rights from it. Delete or rename the Role, or rename the RayCluster';

describe('what is there already', () => {
  const live = (ports: readonly { readonly name: string; readonly port: number }[]) => ({
    metadata: { name: 'demo-head-svc' },
    spec: { clusterIP: 'None', type: 'ClusterIP', ports },
  });
  const old = live([{ name: 'dashboard', port: 8265 }]);
  const spec = { enableInTreeAutoscaling: true };
  const role = { metadata: { name: 'demo' }, rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] };
  const access = { serviceAccounts: [named('demo')], roleBindings: [named('demo')] };

  it.each<[string, ObservedOptions, readonly string[]]>([
    [
      'gets the ports that were added',
      { pods, children: { services: [headService({ service: old })] } },
      ['update Service demo-head-svc'],
    ],
    [
      'gets the labels back that somebody took away',
      { pods, children: { services: [headService({ service: old, labels: {} })] } },
      ['update Service demo-head-svc'],
    ],
    [
      'is left alone where it is not ours',
      { pods, children: { services: [headService({ service: old, owner: 'else' })] } },
      [],
    ],
    [
      'is told apart where it cannot be changed',
      {
        pods,
        spec: { headGroupSpec: { ...HEAD, serviceType: 'NodePort' } },
        children: { services: [headService({ service: old })] },
      },
      [
        'Warning FailedToUpdateService: The head service ml/demo-head-svc cannot be changed in place to type NodePort with an address of its own; delete it to have it made anew',
        'update Service demo-head-svc',
      ],
    ],
    [
      'keeps its name, and its user hears so',
      {
        pods,
        spec: { headGroupSpec: { ...HEAD, headService: { metadata: { name: 'entry' }, spec: { clusterIP: 'None' } } } },
        children: { services: [headService({ service: old })] },
      },
      [
        'Warning FailedToUpdateService: The head service ml/demo-head-svc cannot be changed in place to the name entry, under which new pods look for the head; delete it to have it made anew',
        'update Service demo-head-svc',
      ],
    ],
    [
      'gets the rules that a newer autoscaler needs',
      { pods, spec, children: { ...access, roles: [{ ...named('demo'), role }] } },
      ['update Role demo'],
    ],
    [
      'keeps its rules where the Role is not ours',
      { pods, spec, children: { ...access, roles: [{ ...named('demo', 'else'), role }] } },
      [FOREIGN_ROLE],
    ],
    [
      'binds no Role that is not ours',
      { pods, spec, children: { ...access, roleBindings: [], roles: [{ ...named('demo', 'else'), role }] } },
      [FOREIGN_ROLE],
    ],
    [
      'binds no Role that nobody controls',
      { pods, spec, children: { ...access, roleBindings: [], roles: [{ ...named('demo'), owner: undefined, role }] } },
      [FOREIGN_ROLE],
    ],
  ])('%s', (_, options, expected) => {
    expect(plan(options)).toEqual(expected);
  });
});

describe('a head that is protected from evictions', () => {
  const env = { ENABLE_HEAD_DISRUPTION_BUDGET: 'true' };
  const budgets = [named('demo-head')];

  it.each<[string, ObservedOptions, readonly string[]]>([
    ['is none unless the installation says so', { pods }, []],
    ['gets a budget', { pods, env }, ['create PodDisruptionBudget demo-head']],
    ['gets it once', { pods, env, children: { budgets } }, []],
    [
      'loses it where its cluster does not want it',
      { pods, env, children: { budgets }, metadata: { annotations: { 'ray.io/head-disruption-budget': 'false' } } },
      ['delete PodDisruptionBudget demo-head'],
    ],
  ])('%s', (_, options, expected) => {
    expect(plan(options)).toEqual(expected);
  });
});
