import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { clusterRole, type Profile } from '@manta/operator';
import { BATCH_SCHEDULERS } from '@manta/plan';
import { PUBLISHED } from '../../tools/fetch/kube/published.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { type OperatorProcess, startOperator } from '../support/operator-process.ts';
import { gangPermissions } from '../support/gang-permissions.ts';
import { auditedPermissions, readsAfterConflicts, usedPermissions } from '../support/permission-uses.ts';
import { installPublished } from '../support/published-crds.ts';
import { installCrds } from './ray-api.ts';

/** Its own plane: Kubernetes serves workloads only where it is told to. */
let plane: ControlPlane;
const started: OperatorProcess[] = [];

beforeAll(async () => {
  plane = await startControlPlane({
    audit: true,
    featureGates: { GenericWorkload: true },
    runtimeConfig: { 'scheduling.k8s.io/v1alpha2': true },
  });
  await installCrds(plane);
  // YuniKorn and KAI have none that we write.
  await installPublished(plane, PUBLISHED.volcano, ['scheduling.volcano.sh_podgroups.yaml']);
  await installPublished(plane, PUBLISHED.schedulerPlugins, ['scheduling.x-k8s.io_podgroups.yaml']);
}, 300_000);
afterAll(async () => {
  await Promise.all(started.map((operator) => operator.ended('SIGKILL')));
  await plane.stop();
});

/** An operator with the base role and these profiles, in a namespace of its own name. */
async function run(name: string, profiles: readonly Profile[], args: readonly string[]): Promise<OperatorProcess> {
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name },
    rules: clusterRole(profiles).rules,
  };
  const binding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }],
  };
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  await plane.apply(
    [role, binding, namespace].map((each) => stringify(each, { aliasDuplicateObjects: false })).join('---\n'),
  );
  const env = { KUBECONFIG: plane.user({ name }).kubeconfig.path };
  const operator = startOperator({ args: [`--watch-namespace=${name}`, ...args], env });
  started.push(operator);
  return operator;
}

const eventually = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 30_000, interval: 100 });

interface Found {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly schedulerName?: string;
    readonly minMember?: number;
    readonly schedulingGroup?: unknown;
    readonly schedulingPolicy?: { readonly gang: { readonly minCount: number } };
  };
}

async function list<T = Found>(path: string, namespace: string): Promise<readonly T[]> {
  const [prefix, plural] = [path.slice(0, path.lastIndexOf('/')), path.slice(path.lastIndexOf('/') + 1)];
  const { body } = await plane.request('GET', `${prefix}/namespaces/${namespace}/${plural}`);
  return (body as { items: T[] }).items;
}

function rayCluster(labels: Record<string, string>) {
  const template = { spec: { containers: [{ name: 'ray', image: 'rayproject/ray:2.52.0' }] } };
  const workerGroupSpecs = [{ groupName: 'small', replicas: 1, minReplicas: 0, maxReplicas: 9, template }];
  const spec = { rayVersion: '2.52.0', headGroupSpec: { template }, workerGroupSpecs };
  return { apiVersion: 'ray.io/v1', kind: 'RayCluster', metadata: { name: 'demo', labels }, spec };
}

/** What differs between schedulers on a server: how it is chosen, and where it looks for gangs. */
interface Case {
  readonly args: readonly string[];
  readonly profiles: readonly Profile[];
  readonly schedulerName: string;
  readonly gangs?: string;
}

const CASES: Readonly<Record<string, Case>> = {
  volcano: {
    args: ['--batch-scheduler=volcano'],
    profiles: ['volcano'],
    schedulerName: 'volcano',
    gangs: '/apis/scheduling.volcano.sh/v1beta1/podgroups',
  },
  yunikorn: { args: ['--batch-scheduler=yunikorn'], profiles: [], schedulerName: 'yunikorn' },
  'kai-scheduler': { args: ['--batch-scheduler=kai-scheduler'], profiles: [], schedulerName: 'kai-scheduler' },
  'scheduler-plugins': {
    args: ['--batch-scheduler=scheduler-plugins'],
    profiles: ['scheduler-plugins'],
    schedulerName: 'scheduler-plugins-scheduler',
    gangs: '/apis/scheduling.x-k8s.io/v1alpha1/podgroups',
  },
  'kubernetes-was': {
    args: ['--feature-gates=KubernetesWAS=true'],
    profiles: ['kubernetes-was'],
    schedulerName: 'default-scheduler',
    gangs: '/apis/scheduling.k8s.io/v1alpha2/podgroups',
  },
};

describe.each(Object.entries(CASES))('%s', (name, { args, profiles, schedulerName, gangs }) => {
  const sizes = async () =>
    gangs === undefined
      ? undefined
      : (await list(gangs, name)).map(({ spec }) => spec.minMember ?? spec.schedulingPolicy?.gang.minCount);
  const expected = (size: number) => (gangs === undefined ? undefined : [size]);

  it('gets the pods of a cluster, hears of their number, and needs no more than its role', async () => {
    const before = await plane.audit.mark();
    await run(name, profiles, args);
    const path = `/apis/ray.io/v1/namespaces/${name}/rayclusters`;
    await plane.request('POST', path, rayCluster({ 'ray.io/gang-scheduling-enabled': 'true' }));
    const pods = await eventually(async () => {
      const found = await list('/api/v1/pods', name);
      expect(found).toHaveLength(2);
      return found;
    });
    expect(pods.map(({ spec }) => spec.schedulerName)).toEqual([schedulerName, schedulerName]);
    expect(await sizes()).toEqual(expected(2));
    await plane.request(
      'PATCH',
      `${path}/demo`,
      [{ op: 'replace', path: '/spec/workerGroupSpecs/0/replicas', value: 3 }],
      {
        'content-type': 'application/json-patch+json',
      },
    );
    await eventually(async () => expect(await sizes()).toEqual(expected(4)));
    await eventually(async () => expect(await list('/api/v1/pods', name)).toHaveLength(4));
    await plane.request('PATCH', `${path}/demo`, [{ op: 'remove', path: '/metadata/labels' }], {
      'content-type': 'application/json-patch+json',
    });
    const left = name === 'volcano' ? [4] : [];
    await eventually(async () => expect(await sizes()).toEqual(gangs === undefined ? undefined : left));
    expect(await plane.audit.count({ user: name, code: 403 }, before)).toBe(0);
  });
});

it('a secure operator writes tokens, policies and certificates that the server takes', async () => {
  const name = 'secure';
  await run(name, [], ['--security-profile=secure']);
  await plane.request('POST', `/apis/ray.io/v1/namespaces/${name}/rayclusters`, rayCluster({}));
  await eventually(async () => expect(await list('/api/v1/pods', name)).toHaveLength(2));
  const policies = await list('/apis/networking.k8s.io/v1/networkpolicies', name);
  expect(policies.map(({ metadata }) => metadata.name)).toEqual(['demo-head', 'demo-workers-small']);
  const secrets = await list<{ metadata: { name: string }; data: Record<string, string> }>('/api/v1/secrets', name);
  const named = (part: string) => secrets.find(({ metadata }) => metadata.name.includes(part))?.data ?? {};
  expect(Object.keys(named('demo'))).toContain('auth_token');
  const certificate = (part: string) => new X509Certificate(Buffer.from(named(part)['tls.crt'] ?? '', 'base64'));
  expect(certificate('ray-head-secret').checkIssued(certificate('demo-ca-secret'))).toBe(true);
  expect(certificate('ray-worker-secret').checkIssued(certificate('demo-ca-secret'))).toBe(true);
});

/** Stands in for cert-manager: what was asked for is there, and was issued as it is now. */
async function issue(namespace: string): Promise<void> {
  const path = '/apis/cert-manager.io/v1/certificates';
  const found = await list<{ metadata: { name: string; generation: number }; spec: { secretName: string } }>(
    path,
    namespace,
  );
  const data = Object.fromEntries(['tls.crt', 'tls.key', 'ca.crt'].map((key) => [key, 'eA==']));
  for (const { metadata, spec } of found) {
    const secret = { metadata: { name: spec.secretName }, type: 'kubernetes.io/tls', data };
    await plane.request('POST', `/api/v1/namespaces/${namespace}/secrets`, secret);
    const ready = { type: 'Ready', status: 'True', reason: 'Ready', observedGeneration: metadata.generation };
    const at = `/apis/cert-manager.io/v1/namespaces/${namespace}/certificates/${metadata.name}/status`;
    await plane.request('PATCH', at, { status: { conditions: [ready], revision: 1 } }, MERGE);
  }
}

const MERGE = { 'content-type': 'application/merge-patch+json' };

it('with cert-manager, by its published definitions: asks for certificates, and makes pods once they are issued', async () => {
  const name = 'cert-manager';
  await installPublished(
    plane,
    PUBLISHED.certManager,
    ['issuers', 'certificates'].map((plural) => `cert-manager.io_${plural}.yaml`),
  );
  await run(name, [], ['--feature-gates=RayClusterMTLS=true']);
  const { spec, ...rest } = rayCluster({});
  const cluster = { ...rest, spec: { ...spec, tlsOptions: { enabled: true } } };
  await plane.request('POST', `/apis/ray.io/v1/namespaces/${name}/rayclusters`, cluster);
  const namesOf = async (plural: string) =>
    (await list(`/apis/cert-manager.io/v1/${plural}`, name)).map(({ metadata }) => metadata.name);
  await eventually(async () => expect(await namesOf('certificates')).toHaveLength(3));
  expect(await namesOf('issuers')).toHaveLength(2);
  expect(await list('/api/v1/pods', name)).toEqual([]);
  await eventually(async () => {
    // Names are added to certificates as pods get addresses: issued anew then.
    await issue(name);
    expect(await list('/api/v1/pods', name)).toHaveLength(2);
  });
});

it('with routes of OpenShift, by their published definition: makes one for a cluster that wants to be reached, and no Ingress', async () => {
  const name = 'openshift';
  await installPublished(plane, PUBLISHED.openShiftRoute, ['routes-Default.crd.yaml']);
  await run(name, [], []);
  const { spec, ...rest } = rayCluster({});
  const cluster = { ...rest, spec: { ...spec, headGroupSpec: { ...spec.headGroupSpec, enableIngress: true } } };
  await plane.request('POST', `/apis/ray.io/v1/namespaces/${name}/rayclusters`, cluster);
  await eventually(async () => expect(await list('/apis/route.openshift.io/v1/routes', name)).toHaveLength(1));
  await eventually(async () => expect(await list('/api/v1/pods', name)).toHaveLength(2));
  expect(await list('/apis/networking.k8s.io/v1/ingresses', name)).toEqual([]);
});

describe('the audit log of all that', () => {
  const names = [...Object.keys(CASES), 'secure', 'cert-manager', 'openshift'];
  const logged = async () => (await plane.audit.requests()).filter(({ user }) => names.includes(user));

  it('shows nothing that was forbidden', async () => {
    expect((await logged()).filter(({ code }) => code === 403).map(({ user, uri }) => `${user}: ${uri}`)).toEqual([]);
  });

  it('shows only what the code was read to use, or the schedulers to plan', async () => {
    const used = new Set([
      ...usedPermissions(),
      ...readsAfterConflicts(),
      ...BATCH_SCHEDULERS.flatMap((each) => [...gangPermissions(each)]),
    ]);
    const shown = [...auditedPermissions(await logged())];
    expect(shown.length).toBeGreaterThan(20);
    expect(shown.filter((each) => !used.has(each))).toEqual([]);
  });
});
