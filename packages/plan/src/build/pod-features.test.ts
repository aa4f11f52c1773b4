import type { Container, Pod, RayCluster, RayClusterSpec, WorkerGroupSpec } from '@manta/api';
import { rayCluster, withAnnotations, withHead, withLabels, withSpec, workerGroup } from '@manta/api/testing';
import { describe, expect, it } from 'vitest';
import { buildContext } from '../testing/build-context.ts';
import { buildHeadPod } from './head-pod.ts';
import { buildWorkerPod } from './worker-pod.ts';

const everything = buildContext({ gates: { RayClusterMTLS: true, RayClusterHistoryServer: true } });
const specOf = (cluster: RayCluster) => cluster.spec as RayClusterSpec;
const headOf = (cluster: RayCluster, context = everything) => buildHeadPod(cluster, specOf(cluster), context);
const workerOf = (cluster: RayCluster, group: Partial<WorkerGroupSpec> = {}, context = everything) =>
  buildWorkerPod(cluster, specOf(cluster), workerGroup('g', group), context);
const named = (pod: Pod, name: string) =>
  [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])].find((each) => each.name === name);
const ray = (pod: Pod) => pod.spec?.containers[0] as Container;
const envNames = (container: Container | undefined) => container?.env?.map(({ name }) => name) ?? [];
const valueOf = (container: Container | undefined, name: string) =>
  container?.env?.find((variable) => variable.name === name)?.value;
const mounts = (container: Container | undefined) => container?.volumeMounts?.map(({ name }) => name) ?? [];
const volumes = (pod: Pod) => pod.spec?.volumes?.map(({ name }) => name) ?? [];
const withRay = (container: Partial<Container>) => ({
  template: { spec: { containers: [{ name: 'ray', image: 'ray', ...container }] } },
});
const autoscaling = withSpec<RayCluster>({ enableInTreeAutoscaling: true });

describe('the autoscaler', () => {
  const plain = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { fieldPath } } });
  const START =
    'ray kuberay-autoscaler --cluster-name $(RAY_CLUSTER_NAME) --cluster-namespace $(RAY_CLUSTER_NAMESPACE)';

  it('is a small container of the Ray image', () => {
    const resources = { cpu: '500m', memory: '512Mi' };
    expect(named(headOf(rayCluster('demo', autoscaling)), 'autoscaler')).toEqual({
      name: 'autoscaler',
      image: 'rayproject/ray:2.52.0',
      imagePullPolicy: 'IfNotPresent',
      command: ['/bin/bash', '-c', '--'],
      args: [START],
      env: [
        plain('RAY_CLUSTER_NAME', "metadata.labels['ray.io/cluster']"),
        plain('RAY_CLUSTER_NAMESPACE', 'metadata.namespace'),
        plain('RAY_HEAD_POD_NAME', 'metadata.name'),
        { name: 'KUBERAY_CRD_VER', value: 'v1' },
        { name: 'KUBERAY_GEN_AUTOSCALER_START_CMD', value: START },
      ],
      resources: { limits: resources, requests: resources },
      volumeMounts: [{ name: 'ray-logs', mountPath: '/tmp/ray' }],
    });
  });

  it('is what its options say', () => {
    const options = {
      image: 'mine',
      imagePullPolicy: 'Always',
      resources: { limits: { cpu: '1' } },
      securityContext: { runAsUser: 1 },
      envFrom: [{ secretRef: { name: 's' } }],
      command: ['x'],
      args: ['y'],
    };
    const cluster = rayCluster(
      'demo',
      withSpec({
        enableInTreeAutoscaling: true,
        autoscalerOptions: {
          ...options,
          env: [{ name: 'MORE', value: '1' }],
          volumeMounts: [{ name: 'v', mountPath: '/v' }],
        },
      }),
    );
    const container = named(headOf(cluster), 'autoscaler');
    expect(container).toMatchObject(options);
    expect(valueOf(container, 'KUBERAY_GEN_AUTOSCALER_START_CMD')).toBe(START);
    expect(envNames(container).at(-1)).toBe('MORE');
    expect(mounts(container)).toEqual(['v', 'ray-logs']);
  });

  it.each<[string | undefined, readonly (string | undefined)[]]>([
    ['v1', ['false']],
    ['v2', ['true']],
    [undefined, []],
  ])('of version %s is told to Ray', (version, expected) => {
    const autoscalerOptions = version === undefined ? {} : { version: version as 'v1' | 'v2' };
    const pod = headOf(rayCluster('demo', withSpec({ enableInTreeAutoscaling: true, autoscalerOptions })));
    const values = ray(pod).env?.filter(({ name }) => name === 'RAY_enable_autoscaler_v2');
    expect(values?.map(({ value }) => value)).toEqual(expected);
  });

  it('replaces Ray’s own monitor and gives the head an account', () => {
    const pod = headOf(rayCluster('x'.repeat(200), autoscaling));
    expect(valueOf(ray(pod), 'KUBERAY_GEN_RAY_START_CMD')).toContain(' --no-monitor ');
    expect(pod.spec?.serviceAccountName).toBe('x'.repeat(50));
    expect(headOf(rayCluster('demo')).spec?.serviceAccountName).toBeUndefined();
  });

  it('leaves what the user mounts at its path', () => {
    const own = withRay({ volumeMounts: [{ name: 'v', mountPath: '/tmp/ray' }] });
    const pod = headOf(rayCluster('demo', withHead(own), autoscaling));
    expect(mounts(ray(pod))).toEqual(['v', 'shared-mem']);
    expect(mounts(named(pod, 'autoscaler'))).toEqual(['ray-logs']);
  });
});

describe('GCS fault tolerance', () => {
  it('by options: the head logs in to Redis, workers wait longer', () => {
    const secret = { valueFrom: { secretKeyRef: { name: 's', key: 'k' } } };
    const cluster = rayCluster(
      'demo',
      withSpec({
        gcsFaultToleranceOptions: { redisAddress: 'r:1', redisUsername: { value: 'me' }, redisPassword: secret },
      }),
    );
    const head = headOf(cluster);
    expect(ray(head).env?.slice(0, 4)).toEqual([
      { name: 'RAY_external_storage_namespace', value: 'uid-demo' },
      { name: 'RAY_REDIS_ADDRESS', value: 'r:1' },
      { name: 'REDIS_USERNAME', value: 'me' },
      { name: 'REDIS_PASSWORD', ...secret },
    ]);
    expect(valueOf(ray(head), 'KUBERAY_GEN_RAY_START_CMD')).toContain(
      ' --redis-password=$REDIS_PASSWORD  --redis-username=$REDIS_USERNAME ',
    );
    expect(envNames(ray(head))).not.toContain('RAY_gcs_rpc_server_reconnect_timeout_s');
    const worker = workerOf(cluster);
    expect(valueOf(ray(worker), 'RAY_gcs_rpc_server_reconnect_timeout_s')).toBe('600');
    expect(envNames(ray(worker))).not.toContain('RAY_REDIS_ADDRESS');
    expect(worker.metadata?.annotations).toEqual({});
  });

  it.each<[string, string | undefined, string | undefined, string]>([
    ['the uid', undefined, undefined, 'uid-demo'],
    ['the annotation', 'annotated', undefined, 'annotated'],
    ['the option', 'annotated', 'option', 'option'],
  ])('keeps state under %s', (_, annotation, option, expected) => {
    const cluster = rayCluster(
      'demo',
      withAnnotations(annotation === undefined ? {} : { 'ray.io/external-storage-namespace': annotation }),
      withSpec({ gcsFaultToleranceOptions: option === undefined ? {} : { externalStorageNamespace: option } }),
    );
    const pod = headOf(cluster);
    expect(pod.metadata?.annotations).toMatchObject({
      'ray.io/ft-enabled': 'true',
      'ray.io/external-storage-namespace': expected,
    });
    expect(valueOf(ray(pod), 'RAY_external_storage_namespace')).toBe(expected);
  });

  it('by annotation: the password of the start parameters becomes a variable too', () => {
    const old = withAnnotations<RayCluster>({ 'ray.io/ft-enabled': 'TRUE' });
    const params = withHead({ rayStartParams: { 'redis-password': 'secret' } });
    const pod = headOf(rayCluster('demo', old, params));
    expect(valueOf(ray(pod), 'REDIS_PASSWORD')).toBe('secret');
    expect(envNames(ray(pod))).not.toContain('RAY_REDIS_ADDRESS');
    const given = withHead({
      rayStartParams: { 'redis-password': 'x' },
      ...withRay({ env: [{ name: 'REDIS_PASSWORD', value: 'y' }] }),
    });
    expect(
      ray(headOf(rayCluster('demo', old, given))).env?.filter(({ name }) => name === 'REDIS_PASSWORD'),
    ).toHaveLength(1);
  });

  it('by annotation: a storage namespace without a name is none, since clusters would share it', () => {
    const annotations = { 'ray.io/ft-enabled': 'true', 'ray.io/external-storage-namespace': '' };
    const cluster = rayCluster('demo', withAnnotations<RayCluster>(annotations));
    const name = 'RAY_external_storage_namespace';
    expect(valueOf(ray(headOf(cluster)), name)).toBe(cluster.metadata?.uid);
  });

  it.each<[string | undefined, string | undefined, object, string]>([
    [undefined, undefined, {}, 'demo-gcs-pvc'],
    ['mine', 'below', { subPath: 'below' }, 'mine'],
  ])('embedded: keeps state on a volume (claim %s)', (claimName, subPath, mount, claim) => {
    const storage = { ...(claimName ? { claimName } : {}), ...(subPath ? { subPath } : {}) };
    const cluster = rayCluster('demo', withSpec({ gcsFaultToleranceOptions: { backend: 'rocksdb', storage } }));
    const pod = headOf(cluster);
    expect(ray(pod).env?.slice(0, 2)).toEqual([
      { name: 'RAY_gcs_storage', value: 'rocksdb' },
      { name: 'RAY_gcs_storage_path', value: '/data/gcs' },
    ]);
    expect(ray(pod).volumeMounts?.[0]).toEqual({ name: 'gcs-storage', mountPath: '/data/gcs', ...mount });
    expect(pod.spec?.volumes?.[0]).toEqual({ name: 'gcs-storage', persistentVolumeClaim: { claimName: claim } });
    expect(pod.metadata?.annotations).toEqual({ 'ray.io/ft-enabled': 'true' });
  });
});

describe('authentication', () => {
  const token = { mode: 'token' } as const;
  const wired = { autoscaler: true, 'ray-history-collector': true, 'wait-gcs-ready': true } as const;
  const all = withSpec<RayCluster>({
    enableInTreeAutoscaling: true,
    historyServerOptions: { collectorOptions: { image: 'c' } },
  });

  it('by token: all that talk to Ray read the Secret', () => {
    const cluster = rayCluster('demo', all, withSpec({ authOptions: token }));
    const pods = [headOf(cluster), workerOf(cluster)];
    const containers = pods.flatMap((pod) => [
      ray(pod),
      ...Object.keys(wired).flatMap((name) => named(pod, name) ?? []),
    ]);
    expect(containers).toHaveLength(6);
    for (const container of containers) {
      expect(valueOf(container, 'RAY_AUTH_MODE')).toBe('token');
      expect(container.env).toContainEqual({
        name: 'RAY_AUTH_TOKEN',
        valueFrom: { secretKeyRef: { name: 'demo', key: 'auth_token' } },
      });
    }
    expect(pods.flatMap(volumes)).not.toContain('ray-token');
  });

  it('by a Secret of the user’s own', () => {
    const cluster = rayCluster('demo', withSpec({ authOptions: { ...token, secretName: 'theirs' } }));
    expect(ray(headOf(cluster)).env).toContainEqual({
      name: 'RAY_AUTH_TOKEN',
      valueFrom: { secretKeyRef: { name: 'theirs', key: 'auth_token' } },
    });
  });

  it('also of a submitter that was put into the head before tokens were asked for', () => {
    const { headGroupSpec } = rayCluster('demo').spec ?? {};
    const submitter = { name: 'ray-job-submitter', image: 'ray', env: [{ name: 'RAY_JOB_SUBMISSION_ID', value: 'x' }] };
    const containers = [...(headGroupSpec?.template.spec?.containers ?? []), submitter];
    const cluster = rayCluster(
      'demo',
      withHead({ template: { spec: { containers } } }),
      withSpec({ authOptions: token }),
    );
    expect(envNames(named(headOf(cluster), 'ray-job-submitter'))).toEqual([
      'RAY_JOB_SUBMISSION_ID',
      'RAY_AUTH_MODE',
      'RAY_AUTH_TOKEN',
    ]);
  });

  it('by Kubernetes tokens: all mount one', () => {
    const cluster = rayCluster('demo', all, withSpec({ authOptions: { ...token, enableK8sTokenAuth: true } }));
    const [head, worker] = [headOf(cluster), workerOf(cluster)];
    for (const container of [
      ray(head),
      named(head, 'autoscaler'),
      named(head, 'ray-history-collector'),
      ray(worker),
      named(worker, 'wait-gcs-ready'),
    ]) {
      expect(valueOf(container, 'RAY_ENABLE_K8S_TOKEN_AUTH')).toBe('true');
      expect(container?.volumeMounts?.[0]).toEqual({
        name: 'ray-token',
        mountPath: '/var/run/secrets/ray.io/serviceaccount',
        readOnly: true,
      });
      expect(envNames(container)).not.toContain('RAY_AUTH_TOKEN');
    }
    expect(head.spec?.volumes?.[0]).toEqual({
      name: 'ray-token',
      projected: { sources: [{ serviceAccountToken: { path: 'token' } }] },
    });
  });

  it.each([{ mode: 'disabled' }, {}, { enableK8sTokenAuth: true }] as const)('is off with %j', (authOptions) => {
    expect(envNames(ray(headOf(rayCluster('demo', withSpec({ authOptions })))))).not.toContain('RAY_AUTH_MODE');
  });
});

describe('mutual TLS', () => {
  const tls = withSpec<RayCluster>({ tlsOptions: { enabled: true } });
  const FOUR = ['RAY_USE_TLS', 'RAY_TLS_SERVER_CERT', 'RAY_TLS_SERVER_KEY', 'RAY_TLS_CA_CERT'];
  const tlsEnv = (container: Container | undefined) => envNames(container).filter((name) => FOUR.includes(name));

  it('wires the Ray container, the autoscaler and the wait for the GCS', () => {
    const cluster = rayCluster('demo', tls, autoscaling);
    const [head, worker] = [headOf(cluster), workerOf(cluster)];
    for (const container of [ray(head), named(head, 'autoscaler'), ray(worker), named(worker, 'wait-gcs-ready')]) {
      expect(tlsEnv(container)).toEqual(FOUR);
      expect(mounts(container)).toContain('ray-tls');
    }
    expect(head.spec?.volumes?.[0]).toEqual({ name: 'ray-tls', secret: { secretName: 'ray-head-secret-demo' } });
    expect(worker.spec?.volumes?.[0]).toEqual({ name: 'ray-tls', secret: { secretName: 'ray-worker-secret-demo' } });
  });

  it('waits for a certificate with the pod’s address before all else, unless the user does', () => {
    const wait = named(headOf(rayCluster('demo', tls)), 'wait-for-tls-ip-san');
    expect(wait).toMatchObject({
      image: 'rayproject/ray:2.52.0',
      resources: { limits: { cpu: '50m', memory: '64Mi' }, requests: { cpu: '50m', memory: '64Mi' } },
      volumeMounts: [{ name: 'ray-tls', mountPath: '/etc/ray/tls', readOnly: true }],
    });
    expect(envNames(wait)).toEqual(['POD_IP', 'FQ_RAY_IP', 'RAY_IP']);
    const own = {
      template: { spec: { containers: [{ name: 'r' }], initContainers: [{ name: 'wait-for-tls-ip-san' }] } },
    };
    expect(headOf(rayCluster('demo', tls, withHead(own))).spec?.initContainers).toHaveLength(1);
  });

  it('is off without the gate, and where it is not enabled', () => {
    expect(volumes(headOf(rayCluster('demo', tls), buildContext()))).toEqual(['shared-mem']);
    expect(volumes(headOf(rayCluster('demo', withSpec({ tlsOptions: {} }))))).toEqual(['shared-mem']);
  });
});

describe('the history collector', () => {
  const collecting = withSpec<RayCluster>({ historyServerOptions: { collectorOptions: { image: 'c' } } });
  const NAMES = ['POD_IP', 'RAY_CLUSTER_NAME', 'RAY_CLUSTER_NAMESPACE', 'RAY_ROLE', 'EVENTS_PORT', 'FQ_RAY_IP'];

  it('knows where it is; only the head’s asks the dashboard', () => {
    const cluster = rayCluster('demo', collecting);
    const head = named(headOf(cluster), 'ray-history-collector');
    expect(envNames(head)).toEqual([...NAMES, 'RAY_DASHBOARD_ADDRESS']);
    expect(valueOf(head, 'RAY_ROLE')).toBe('Head');
    const worker = named(workerOf(cluster), 'ray-history-collector');
    expect(envNames(worker)).toEqual(NAMES);
    expect(valueOf(worker, 'RAY_ROLE')).toBe('Worker');
    expect(mounts(worker)).toEqual(['ray-logs']);
  });

  it('knows for whom the cluster was made', () => {
    const labels = { 'ray.io/originated-from-crd': 'RayJob', 'ray.io/originated-from-cr-name': 'j' };
    const container = named(headOf(rayCluster('demo', collecting, withLabels(labels))), 'ray-history-collector');
    expect([valueOf(container, 'OWNER_KIND'), valueOf(container, 'OWNER_NAME')]).toEqual(['RayJob', 'j']);
    const empty = { 'ray.io/originated-from-crd': '', 'ray.io/originated-from-cr-name': '' };
    const nobodys = named(headOf(rayCluster('demo', collecting, withLabels(empty))), 'ray-history-collector');
    expect(envNames(nobodys)).toEqual([...NAMES, 'RAY_DASHBOARD_ADDRESS']);
  });

  it('makes Ray export its events unless the user has his own settings', () => {
    const own = withHead(withRay({ env: [{ name: 'RAY_enable_ray_event', value: 'false' }] }));
    const container = ray(headOf(rayCluster('demo', collecting, own)));
    expect(valueOf(container, 'RAY_enable_ray_event')).toBe('false');
    expect(envNames(container).slice(-4)).toEqual([
      'RAY_enable_core_worker_ray_event_to_aggregator',
      'RAY_DASHBOARD_AGGREGATOR_AGENT_EVENTS_EXPORT_ADDR',
      'RAY_DASHBOARD_AGGREGATOR_AGENT_EXPOSABLE_EVENT_TYPES',
      'RAY_DASHBOARD_AGGREGATOR_AGENT_PUBLISHER_HTTP_ENDPOINT_EXPOSABLE_EVENT_TYPES',
    ]);
  });

  it('is off without the gate', () => {
    expect(named(headOf(rayCluster('demo', collecting), buildContext()), 'ray-history-collector')).toBeUndefined();
  });
});

describe('the wait for the GCS', () => {
  it('has the user’s variables and mounts, but neither the GPUs nor what we mount', () => {
    const group = withRay({
      imagePullPolicy: 'Always',
      env: [{ name: 'MINE', value: '1' }],
      volumeMounts: [{ name: 'v', mountPath: '/v' }],
      resources: { limits: { 'nvidia.com/gpu': 8 } },
      securityContext: { runAsUser: 1 },
    });
    const wait = named(workerOf(rayCluster('demo'), group), 'wait-gcs-ready');
    expect(wait).toMatchObject({
      image: 'ray',
      imagePullPolicy: 'Always',
      securityContext: { runAsUser: 1 },
      resources: { limits: { cpu: '200m', memory: '256Mi' }, requests: { cpu: '200m', memory: '256Mi' } },
    });
    expect(envNames(wait)).toEqual(['MINE', 'FQ_RAY_IP', 'RAY_IP']);
    expect(mounts(wait)).toEqual(['v']);
  });

  it('asks one address, whatever stands in the port', () => {
    const head = withHead({ rayStartParams: { port: '6379 ; id' } });
    const [script = ''] = named(workerOf(rayCluster('demo', head)), 'wait-gcs-ready')?.args ?? [];
    expect(script).toContain('--address "demo-head-svc.default.svc.cluster.local:6379 ; id"');
  });

  it('is left out where the installation says so', () => {
    const context = buildContext({ env: { ENABLE_INIT_CONTAINER_INJECTION: 'False' } });
    expect(workerOf(rayCluster('demo'), {}, context).spec?.initContainers).toBeUndefined();
  });
});
