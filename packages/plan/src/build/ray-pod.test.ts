import type { Container, Pod, RayCluster, RayClusterSpec, WorkerGroupSpec } from '@manta/api';
import { rayCluster, withAnnotations, withHead, withLabels, withSpec, workerGroup } from '@manta/api/testing';
import { describe, expect, it } from 'vitest';
import { buildContext } from '../testing/build-context.ts';
import { buildHeadPod } from './head-pod.ts';
import type { ReplicaPlace } from './pod-labels.ts';
import { atPlace, buildWorkerPod } from './worker-pod.ts';

const headOf = (cluster: RayCluster, context = buildContext()) =>
  buildHeadPod(cluster, cluster.spec as RayClusterSpec, context);
const workerOf = (cluster: RayCluster, group: Partial<WorkerGroupSpec> = {}, context = buildContext()) =>
  buildWorkerPod(cluster, cluster.spec as RayClusterSpec, workerGroup('g', group), context);
const ray = (pod: Pod) => pod.spec?.containers[0] as Container;
const envOf = (container: Container | undefined, name: string) =>
  container?.env?.filter((variable) => variable.name === name).map(({ value }) => value);
const names = (items: readonly { readonly name: string }[] | undefined) => items?.map(({ name }) => name);
const template = (container: Partial<Container>, more: object = {}) => ({
  template: { spec: { containers: [{ name: 'ray', image: 'ray', ...container }], ...more } },
});

describe('names of pods', () => {
  it.each([
    ['are made by the server', {}, { generateName: 'demo-head-' }],
    ['are fixed where an installation says so', { ENABLE_DETERMINISTIC_HEAD_POD_NAME: 'true' }, { name: 'demo-head' }],
  ])('%s', (_, env, expected) => {
    const { name, generateName } = headOf(rayCluster('demo'), buildContext({ env })).metadata ?? {};
    expect({ name, generateName }).toEqual({ name: undefined, generateName: undefined, ...expected });
  });

  it('leave room for what the server appends', () => {
    expect(headOf(rayCluster('x'.repeat(200))).metadata?.generateName).toBe(`${'x'.repeat(50)}-head-`);
    expect(workerOf(rayCluster('x'.repeat(60))).metadata?.generateName).toBe(`${'x'.repeat(50)}-worker-`);
  });

  it('are the cluster’s namespace’s, whatever the template says', () => {
    const strange = { template: { metadata: { namespace: 'other' }, spec: { containers: [{ name: 'ray' }] } } };
    expect(headOf(rayCluster('demo', withHead(strange))).metadata?.namespace).toBe('default');
    expect(workerOf(rayCluster('demo'), strange).metadata?.namespace).toBe('default');
  });
});

describe('labels and annotations', () => {
  it('may be changed by the user except those by which we find our pods', () => {
    const labels = {
      'ray.io/cluster': 'x',
      'ray.io/node-type': 'x',
      'ray.io/group': 'x',
      'ray.io/is-ray-node': 'no',
      both: 'template',
    };
    const head = withHead({
      template: { metadata: { labels }, spec: { containers: [{ name: 'ray' }] } },
      labels: { both: 'group' },
    });
    expect(headOf(rayCluster('demo', head)).metadata?.labels).toMatchObject({
      'ray.io/cluster': 'demo',
      'ray.io/node-type': 'head',
      'ray.io/group': 'headgroup',
      'ray.io/is-ray-node': 'no',
      both: 'group',
    });
  });

  it('tell the place of a worker, whatever the template says', () => {
    const cluster = rayCluster('demo');
    const labels = { 'ray.io/worker-group-replica-index': '7' };
    const group = workerGroup('g', { template: { metadata: { labels }, spec: { containers: [{ name: 'ray' }] } } });
    const pod = buildWorkerPod(cluster, cluster.spec as RayClusterSpec, group, buildContext());
    const build = (place: ReplicaPlace) => atPlace(pod, place).metadata?.labels;
    expect(build({ index: 3, host: { replicaName: 'g-abcde', index: 1 } })).toMatchObject({
      'ray.io/worker-group-replica-index': '3',
      'ray.io/worker-group-replica-name': 'g-abcde',
      'ray.io/replica-host-index': '1',
    });
    expect(build({ index: 3 })).not.toHaveProperty('ray.io/replica-host-index');
  });

  it('from the installation never replace what is there', () => {
    const podDefaults = {
      defaultPodLabels: { app: 'operator', 'ray.io/cluster': 'nope', more: '1' },
      defaultPodAnnotations: { 'ray.io/ft-enabled': 'nope', more: '1' },
    };
    const head = withHead({
      template: { metadata: { labels: { app: 'user' } }, spec: { containers: [{ name: 'r' }] } },
    });
    const { labels, annotations } = headOf(rayCluster('demo', head), buildContext({ podDefaults })).metadata ?? {};
    expect(labels).toMatchObject({ app: 'user', 'ray.io/cluster': 'demo', more: '1' });
    expect(annotations).toMatchObject({ 'ray.io/ft-enabled': 'false', more: '1' });
  });

  it('say which pods serve', () => {
    const service = withLabels<RayCluster>({ 'ray.io/originated-from-crd': 'RayService' });
    expect(headOf(rayCluster('demo', service)).metadata?.labels?.['ray.io/serve']).toBe('false');
    expect(workerOf(rayCluster('demo', service)).metadata?.labels?.['ray.io/serve']).toBe('true');
    expect(workerOf(rayCluster('demo')).metadata?.labels).not.toHaveProperty('ray.io/serve');
  });
});

describe('the command of the Ray container', () => {
  const START = 'ulimit -n ${RAY_START_ULIMIT_OPEN_FILES:-65536}; ray start ';
  const argsOf = (container: Partial<Container>) => ray(workerOf(rayCluster('demo'), template(container))).args?.[0];

  it.each<[string, Partial<Container>, string]>([
    ['is only ours where the user has none', {}, START],
    ['comes after the user’s', { command: ['echo', 'hi'] }, ` echo  hi  && ${START}`],
    ['comes after the user’s arguments', { args: ['echo hi'] }, ` echo hi  && ${START}`],
    ['comes after both', { command: ['a'], args: ['b'] }, ` a  b  && ${START}`],
    ['comes after a program that only sounds like Ray', { command: ['x-ray', 'start'] }, ` x-ray  start  && ${START}`],
  ])('%s', (_, container, expected) => {
    expect(argsOf(container)?.slice(0, expected.length)).toBe(expected);
  });

  it.each<[string, Partial<Container>]>([
    ['in a shell string', { command: ['bash', '-c', 'ray start --address=x --block'] }],
    ['as separate words', { command: ['ray', 'start', '--block'] }],
    ['by its full path', { command: ['/opt/bin/ray'], args: ['start'] }],
  ])('stays the user’s where it starts Ray: %s', (_, container) => {
    const built = ray(workerOf(rayCluster('demo'), template(container)));
    expect(built).toMatchObject(container);
    expect(envOf(built, 'KUBERAY_GEN_RAY_START_CMD')?.[0]).toMatch(/^ray start /);
  });

  it.each([
    ['true', true],
    ['TRUE', true],
    ['yes', false],
  ])('stays the user’s by annotation %s: %s', (value, stays) => {
    const cluster = rayCluster('demo', withAnnotations({ 'ray.io/overwrite-container-cmd': value }));
    const built = ray(workerOf(cluster, template({ command: ['sleep', '1'] })));
    expect(built.command?.[0]).toBe(stays ? 'sleep' : '/bin/bash');
  });

  it('runs in a login shell where the installation wants one', () => {
    const context = buildContext({ env: { ENABLE_LOGIN_SHELL: 'true' } });
    expect(ray(headOf(rayCluster('demo'), context)).command).toEqual(['/bin/bash', '-cl', '--']);
  });
});

describe('variables', () => {
  it('of the user win where they may, and come before ours', () => {
    const env = [
      { name: 'RAY_ADDRESS', value: 'mine' },
      { name: 'FQ_RAY_IP', value: 'mine' },
    ];
    const container = ray(workerOf(rayCluster('demo'), template({ env })));
    expect(envOf(container, 'RAY_ADDRESS')).toEqual(['mine']);
    expect(envOf(container, 'FQ_RAY_IP')).toEqual(['mine', 'demo-head-svc.default.svc.cluster.local']);
    expect(container.env?.slice(0, 2)).toEqual(env);
  });

  it('tell every init container where the head is, and no other container of the user', () => {
    const more = { initContainers: [{ name: 'mine' }], containers: [{ name: 'ray' }, { name: 'side' }] };
    const pod = headOf(rayCluster('demo', withHead({ template: { spec: more } })));
    expect(envOf(pod.spec?.initContainers?.[0], 'RAY_IP')).toEqual(['demo-head-svc']);
    expect(pod.spec?.containers[1]).toEqual({ name: 'side' });
  });

  it('of the installation give heads the address that early releases gave them, and take no worker away from its head', () => {
    const podDefaults = { defaultContainerEnvs: [{ name: 'FQ_RAY_IP', value: '127.0.0.1' }] };
    const context = buildContext({ podDefaults });
    const lastOf = (pod: Pod) => envOf(ray(pod), 'FQ_RAY_IP')?.at(-1);
    expect(lastOf(headOf(rayCluster('demo'), context))).toBe('127.0.0.1');
    expect(lastOf(workerOf(rayCluster('demo'), {}, context))).toBe('demo-head-svc.default.svc.cluster.local');
  });

  it('follow the port and the domain', () => {
    const cluster = rayCluster('demo', withHead({ rayStartParams: { port: '6380' } }));
    const context = buildContext({ env: { CLUSTER_DOMAIN: 'my.domain' } });
    expect(envOf(ray(headOf(cluster, context)), 'RAY_ADDRESS')).toEqual(['127.0.0.1:6380']);
    expect(envOf(ray(workerOf(cluster, {}, context)), 'RAY_ADDRESS')).toEqual([
      'demo-head-svc.default.svc.my.domain:6380',
    ]);
  });
});

describe('shared memory', () => {
  it.each<[string, Partial<WorkerGroupSpec>, object | undefined]>([
    [
      'is as large as the memory limit',
      template({ resources: { limits: { memory: '2Gi' }, requests: { memory: '1Gi' } } }),
      { medium: 'Memory', sizeLimit: '2Gi' },
    ],
    [
      'is as large as the request where there is no limit',
      template({ resources: { requests: { memory: '1Gi' } } }),
      { medium: 'Memory', sizeLimit: '1Gi' },
    ],
    ['has no limit where there is none', template({}), { medium: 'Memory' }],
    [
      'is not needed where the store is elsewhere',
      { ...template({}), rayStartParams: { 'plasma-directory': '/x' } },
      undefined,
    ],
    [
      'is not needed where the store is said to be there',
      { ...template({}), rayStartParams: { 'plasma-directory': '/dev/shm' } },
      undefined,
    ],
    [
      'is the user’s where he mounts something there',
      template({ volumeMounts: [{ name: 'v', mountPath: '/dev/shm' }] }),
      undefined,
    ],
  ])('%s', (_, group, expected) => {
    const volume = workerOf(rayCluster('demo'), group).spec?.volumes?.find(({ name }) => name === 'shared-mem');
    expect(volume?.emptyDir).toEqual(expected);
  });

  it('uses a volume of that name that the user brings', () => {
    const mine = { name: 'shared-mem', hostPath: { path: '/x' } };
    const pod = workerOf(rayCluster('demo'), template({}, { volumes: [mine] }));
    expect(pod.spec?.volumes).toEqual([mine]);
    expect(ray(pod).volumeMounts).toEqual([{ name: 'shared-mem', mountPath: '/dev/shm' }]);
  });
});

describe('order of containers', () => {
  it('is the user’s, the autoscaler, the collector, the installation’s', () => {
    const context = buildContext({
      gates: { RayClusterHistoryServer: true, RayClusterMTLS: true },
      podDefaults: { headSidecarContainers: [{ name: 'ours' }], workerSidecarContainers: [{ name: 'ours' }] },
    });
    const cluster = rayCluster(
      'demo',
      withHead(template({}, { containers: [{ name: 'ray' }, { name: 'side' }], initContainers: [{ name: 'init' }] })),
      withSpec({
        enableInTreeAutoscaling: true,
        tlsOptions: { enabled: true },
        historyServerOptions: { collectorOptions: { image: 'collector' } },
      }),
    );
    const head = headOf(cluster, context);
    expect(names(head.spec?.containers)).toEqual(['ray', 'side', 'autoscaler', 'ray-history-collector', 'ours']);
    expect(names(head.spec?.initContainers)).toEqual(['wait-for-tls-ip-san', 'init']);
    const worker = workerOf(cluster, template({}, { initContainers: [{ name: 'init' }] }), context);
    expect(names(worker.spec?.containers)).toEqual(['ray', 'ray-history-collector', 'ours']);
    expect(names(worker.spec?.initContainers)).toEqual(['wait-for-tls-ip-san', 'init', 'wait-gcs-ready']);
  });

  it('shares the logs also with a collector that the user brings', () => {
    const group = template({}, { containers: [{ name: 'ray' }, { name: 'ray-history-collector' }] });
    const context = buildContext({ gates: { RayClusterHistoryServer: true } });
    const pod = workerOf(rayCluster('demo'), group, context);
    expect(names(pod.spec?.containers[1]?.volumeMounts)).toEqual(['ray-logs']);
    expect(envOf(ray(pod), 'RAY_enable_ray_event')).toEqual(['true']);
  });
});

it.each<[string, Partial<RayClusterSpec>, string | undefined, string | undefined]>([
  ['without the autoscaler', {}, 'Always', 'Always'],
  ['with an autoscaler of no given version', { enableInTreeAutoscaling: true }, 'Always', 'Always'],
  ['with v1', { enableInTreeAutoscaling: true, autoscalerOptions: { version: 'v1' } }, 'Always', 'Always'],
  ['with v2', { enableInTreeAutoscaling: true, autoscalerOptions: { version: 'v2' } }, 'Never', 'Never'],
  ['with v2 that does not run', { autoscalerOptions: { version: 'v2' } }, 'Always', 'Always'],
])('restart policies %s', (_, spec, head, worker) => {
  const always = template({}, { restartPolicy: 'Always' });
  const cluster = rayCluster('demo', withHead(always), withSpec(spec));
  expect(headOf(cluster).spec?.restartPolicy).toBe(head);
  expect(workerOf(cluster, always).spec?.restartPolicy).toBe(worker);
});

it('a worker’s template is never changed', () => {
  const cluster = rayCluster('demo', withSpec({ authOptions: { mode: 'token' } }));
  const group = workerGroup('g', { resources: { CPU: '2' }, labels: { a: 'b' } });
  const before = structuredClone(group);
  buildWorkerPod(cluster, cluster.spec as RayClusterSpec, group, buildContext());
  expect(group).toEqual(before);
});
