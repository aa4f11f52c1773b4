import { crds } from '@manta/api/crds';
import { beforeAll, describe, expect, it } from 'vitest';
import { builtinKinds, createBuiltinStrategy } from '../../packages/apiserver/src/builtin/index.ts';
import { crdVersions, createCrdStrategy } from '../../packages/apiserver/src/crd/index.ts';
import type { JsonObject } from '../../packages/apiserver/src/object/json.ts';
import type { Strategy } from '../../packages/apiserver/src/registry/strategy.ts';
import { realOutcome, updateBy } from '../support/engine-answer.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { type Answered, clusterSpec, createRayApi, installCrds, type RayApi, workerGroup } from './ray-api.ts';

const plane = sharedControlPlane();
let ray: RayApi;

beforeAll(async () => {
  await installCrds(plane);
  ray = await createRayApi(plane);
});

type Change = (object: Answered) => void;

/** Creates an object, changes it, and says what both servers answer to the change. */
async function answers(
  strategy: Strategy,
  kind: { group: string; kind: string },
  collection: string,
  object: object,
  change: Change,
  subresource = '',
): Promise<readonly [ours: unknown, real: unknown]> {
  const name = `a${Math.random().toString(36).slice(2)}`;
  const created = await plane.request('POST', collection, { ...object, metadata: { name } });
  if (created.status !== 201) throw new Error(created.text);
  const old = created.body as JsonObject;
  const next: Answered = structuredClone(old);
  change(next);
  const path = `${collection}/${name}${subresource === '' ? '' : `/${subresource}`}?dryRun=All`;
  const real = realOutcome(await plane.request('PUT', path, next));
  const ours = updateBy(strategy, kind, next, old, subresource);
  const text = JSON.stringify(ours).replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID');
  return [JSON.parse(text), real];
}

describe('the engine answers an update of a custom resource as the real server does:', () => {
  const [version] = crdVersions(crds()[0]!);
  const strategy = createCrdStrategy(version!);
  const spec = clusterSpec({ managedBy: 'ray.io/kuberay-operator', workerGroupSpecs: [workerGroup('a')] });
  const changes: Readonly<Record<string, Change>> = {
    nothing: () => undefined,
    'a label': (object) => (object.metadata.labels = { a: 'b' }),
    'a bad label': (object) => (object.metadata.labels = { 'not a key': 'not a value!' }),
    'a field of the spec': (object) => (object.spec.workerGroupSpecs[0].replicas = 3),
    'an unknown field': (object) => (object.spec.nonsense = 3),
    'an immutable field': (object) => (object.spec.managedBy = 'kueue.x-k8s.io/multikueue'),
    'a value of the wrong type': (object) => (object.spec.workerGroupSpecs[0].replicas = 'three'),
    'a status, which is not its to change': (object) => (object.status = { state: 'ready' }),
  };

  it.each(Object.entries(changes))('%s', async (_, change) => {
    const [ours, real] = await answers(
      strategy,
      version!,
      ray.path('RayCluster'),
      { apiVersion: 'ray.io/v1', kind: 'RayCluster', spec },
      change,
    );
    expect(ours).toEqual(real);
  });

  const statuses: Readonly<Record<string, Change>> = {
    'a status': (object) => (object.status = { state: 'ready', desiredCPU: '1' }),
    'a status of the wrong type': (object) => (object.status = { state: 1 }),
    'a spec besides': (object) => {
      object.status = { state: 'ready' };
      object.spec.workerGroupSpecs = [];
    },
    'two conditions of one type': (object) => {
      const condition = {
        type: 'A',
        status: 'True',
        reason: 'R',
        message: '',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      };
      object.status = { conditions: [condition, condition] };
    },
  };

  it.each(Object.entries(statuses))('its status: %s', async (_, change) => {
    const object = { apiVersion: 'ray.io/v1', kind: 'RayCluster', spec };
    const [ours, real] = await answers(strategy, version!, ray.path('RayCluster'), object, change, 'status');
    expect(ours).toEqual(real);
  });
});

describe('the engine answers an update of a built-in object as the real server does:', () => {
  const container = { name: 'a', image: 'a' };
  const cases: Readonly<Record<string, readonly [kind: string, plural: string, object: object, change: Change]>> = {
    'the image of a pod': [
      'Pod',
      'pods',
      { spec: { containers: [container] } },
      (pod) => (pod.spec.containers[0].image = 'b'),
    ],
    'a label of a pod': [
      'Pod',
      'pods',
      { spec: { containers: [container] } },
      (pod) => (pod.metadata.labels = { a: 'b' }),
    ],
    'a bad label of a pod': [
      'Pod',
      'pods',
      { spec: { containers: [container] } },
      (pod) => (pod.metadata.labels = { a: 'not a value!' }),
    ],
    'a bad annotation of a service': [
      'Service',
      'services',
      { spec: { ports: [{ port: 80 }] } },
      (service) => (service.metadata.annotations = { 'not a key': 'b' }),
    ],
    'a toleration more': [
      'Pod',
      'pods',
      { spec: { containers: [container] } },
      (pod) => pod.spec.tolerations.push({ key: 'a', operator: 'Exists' }),
    ],
    'a toleration less': ['Pod', 'pods', { spec: { containers: [container] } }, (pod) => pod.spec.tolerations.pop()],
    'the deadline of a pod': [
      'Pod',
      'pods',
      { spec: { containers: [container] } },
      (pod) => (pod.spec.activeDeadlineSeconds = 5),
    ],
    'the labels of a service': [
      'Service',
      'services',
      { spec: { ports: [{ port: 80 }] } },
      (service) => (service.spec.selector = { a: 'b' }),
    ],
    'the address of a service': [
      'Service',
      'services',
      { spec: { ports: [{ port: 80 }] } },
      (service) => {
        service.spec.clusterIP = '10.0.0.200';
        service.spec.clusterIPs = ['10.0.0.200'];
      },
    ],
    'the parallelism of a job': [
      'Job',
      'jobs',
      { spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } } },
      (job) => (job.spec.parallelism = 0),
    ],
    'the completion mode of a job': [
      'Job',
      'jobs',
      { spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } } },
      (job) => (job.spec.completionMode = 'Indexed'),
    ],
    'a config map': ['ConfigMap', 'configmaps', { data: { a: 'b' } }, (map) => (map.data.a = 'c')],
    'an immutable config map': [
      'ConfigMap',
      'configmaps',
      { data: { a: 'b' }, immutable: true },
      (map) => (map.data.a = 'c'),
    ],
    'the type of a secret': ['Secret', 'secrets', {}, (secret) => (secret.type = 'other')],
    'the role of a binding': [
      'RoleBinding',
      'rolebindings',
      { roleRef: { kind: 'Role', name: 'a' } },
      (binding) => (binding.roleRef.name = 'b'),
    ],
    'the storage of a claim': [
      'PersistentVolumeClaim',
      'persistentvolumeclaims',
      { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
      (claim) => (claim.spec.volumeName = 'v'),
    ],
  };

  it.each(Object.entries(cases))('%s', async (_, [name, plural, object, change]) => {
    const kind = builtinKinds.find((each) => each.kind === name)!;
    const apiVersion = kind.group === '' ? 'v1' : `${kind.group}/v1`;
    const root = kind.group === '' ? '/api/v1' : `/apis/${kind.group}/v1`;
    const collection = `${root}/namespaces/${ray.namespace}/${plural}`;
    const [ours, real] = await answers(
      createBuiltinStrategy(kind),
      kind,
      collection,
      { apiVersion, kind: name, ...object },
      change,
    );
    expect(ours).toEqual(real);
  });
});
