import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ApiRequester, createRequester } from '../support/api-request.ts';
import { credentialsOf } from '../engine/support/engine-child.ts';
import { type MantaUp, startMantaUp } from '../support/manta-up.ts';
import { pythonWith } from '../../tools/dev/test/python.ts';
import { createTestNamespace } from '../support/namespace.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { type KubectlAnswer, kubectlOf, normalised } from './kubectl-run.ts';
import { KUBECTL_STEPS } from './kubectl-steps.ts';
import { installCrds } from './ray-api.ts';

const folder = mkdtempSync(join(tmpdir(), 'manta-clients-'));
const plane = sharedControlPlane();
let up: MantaUp;
let request: ApiRequester;

beforeAll(async () => {
  await installCrds(plane);
  up = await startMantaUp(join(folder, 'data'));
  request = createRequester(credentialsOf(up.kubeconfig.text));
});
afterAll(async () => {
  request.close();
  await up.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('kubectl', () => {
  const answers = { engine: new Map<string, KubectlAnswer>(), real: new Map<string, KubectlAnswer>() };

  beforeAll(async () => {
    const { name } = await createTestNamespace(plane, 'kubectl');
    await request('POST', '/api/v1/namespaces', { metadata: { name } });
    const program = join(plane.access.assets, 'kubectl');
    const servers = { engine: up.kubeconfig.path, real: plane.adminKubeconfig.path };
    const play = async (server: keyof typeof servers) => {
      const kubectl = kubectlOf(program, servers[server], name, folder);
      for (const [step, run] of Object.entries(KUBECTL_STEPS)) answers[server].set(step, await run(kubectl));
    };
    await Promise.all([play('engine'), play('real')]);
  });

  it.each(Object.keys(KUBECTL_STEPS))('is answered as by the real server: %s', (step) => {
    const [engine, real] = [answers.engine.get(step), answers.real.get(step)];
    if (engine === undefined || real === undefined) throw new Error('did not run');
    expect(normalised(engine)).toBe(normalised(real));
  });
});

describe('kubectl beside a working operator', () => {
  const kubectl = kubectlOf(join(plane.access.assets, 'kubectl'), join(folder, 'data/kubeconfig'), 'default', folder);
  const sample = readFileSync(join(import.meta.dirname, '../../samples/raycluster.yaml'), 'utf8');
  const pods = async () =>
    (await kubectl(['get', 'pods', '-l', 'ray.io/cluster=sample', '-o', 'name'])).stdout.match(/pod\//g)?.length ?? 0;

  it('sees a sample cluster come and go', async () => {
    const watching = kubectl(['get', 'pods', '-w', '-o', 'wide', '--no-headers'], { lines: 2 });
    expect(await kubectl(['apply', '-f', '-'], { input: sample })).toMatchObject({ status: 0 });
    expect((await watching).stdout).toMatch(/^sample-(head|workers-worker)-\w+ +0\/1 +Pending /m);
    await vi.waitFor(async () => expect(await pods()).toBe(2), { timeout: 20_000 });
    const described = await kubectl(['describe', 'pods', '-l', 'ray.io/node-type=head']);
    expect(described.stdout).toMatch(/^Controlled By: +RayCluster\/sample$/m);
    await vi.waitFor(
      async () =>
        expect((await kubectl(['describe', 'raycluster', 'sample'])).stdout).toMatch(/Normal +CreatedHeadPod/),
      { timeout: 20_000 },
    );
    const logs = await kubectl(['logs', '-l', 'ray.io/node-type=head']);
    expect(logs).toMatchObject({ stdout: '' });
    expect(await kubectl(['delete', 'raycluster', 'sample', '--cascade=foreground'])).toMatchObject({ status: 0 });
    expect(await pods()).toBe(0);
    expect((await kubectl(['get', 'services', '-o', 'name'])).stdout).not.toContain('sample');
  });

  it('leaves the children where it is told to orphan them', async () => {
    await kubectl(['apply', '-f', '-'], { input: sample });
    await vi.waitFor(async () => expect(await pods()).toBe(2), { timeout: 20_000 });
    expect(await kubectl(['delete', 'raycluster', 'sample', '--cascade=orphan'])).toMatchObject({ status: 0 });
    expect(await pods()).toBe(2);
    await kubectl([
      'delete',
      'pods,services',
      '-l',
      'ray.io/cluster=sample',
      '--wait=false',
      '--grace-period=0',
      '--force',
    ]);
    await vi.waitFor(async () => expect(await pods()).toBe(0), { timeout: 20_000 });
  });
});

describe('the Python client from PyPI', () => {
  it('creates, patches, watches and deletes RayClusters and pods', async () => {
    const python = await pythonWith('kubernetes', 'kubernetes');
    const script = join(import.meta.dirname, 'python-client.py');
    const { stdout } = await promisify(execFile)(python, [script, up.kubeconfig.path], { timeout: 90_000 });
    const seen = JSON.parse(stdout);
    expect(seen).toMatchObject({
      again: [409, 'AlreadyExists'],
      generation: 2,
      annotation: 'python',
      left: 0,
      owners: [seen.uid],
    });
    expect(seen.pod_events.filter(([type]: readonly string[]) => type === 'ADDED').toSorted()).toEqual([
      ['ADDED', 'head', 'Pending'],
      ['ADDED', 'worker', 'Pending'],
      ['ADDED', 'worker', 'Pending'],
    ]);
    expect(seen.cluster_events[0]).toEqual(['ADDED', 1]);
    expect(seen.cluster_events.at(-1)).toEqual(['DELETED', 2]);
  });
});

describe("the calls of Ray's autoscaler", () => {
  const group = { groupName: 'w', replicas: 1, minReplicas: 0, maxReplicas: 5, rayStartParams: {} };
  const template = (name: string) => ({ spec: { containers: [{ name, image: 'rayproject/ray:2.52.0' }] } });
  const path = '/apis/ray.io/v1/namespaces/default/rayclusters/auto';
  const json = { 'content-type': 'application/json-patch+json' };
  let autoscaler: ApiRequester;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers are read freely and asserted on
  const body = async (...call: Parameters<ApiRequester>): Promise<any> => {
    const answer = await autoscaler(...call);
    if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
    return answer.body;
  };

  beforeAll(async () => {
    const spec = {
      headGroupSpec: { rayStartParams: {}, template: template('h') },
      workerGroupSpecs: [{ ...group, template: template('w'), scaleStrategy: {} }],
    };
    const cluster = { apiVersion: 'ray.io/v1', kind: 'RayCluster', metadata: { name: 'auto' }, spec };
    await request('POST', '/apis/ray.io/v1/namespaces/default/rayclusters', cluster);
    // As the operator gives it to a cluster that scales itself: a service account with a token, and a role of its own.
    await request('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'auto' } });
    const rules = [
      { apiGroups: [''], resources: ['pods', 'pods/resize'], verbs: ['get', 'list', 'patch', 'watch'] },
      { apiGroups: ['ray.io'], resources: ['rayclusters'], verbs: ['get', 'patch', 'delete'] },
    ];
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
    await request('POST', `${rbac}/roles`, { metadata: { name: 'auto' }, rules });
    await request('POST', `${rbac}/rolebindings`, {
      metadata: { name: 'auto' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'auto' },
      subjects: [{ kind: 'ServiceAccount', name: 'auto', namespace: 'default' }],
    });
    const asked = await request('POST', '/api/v1/namespaces/default/serviceaccounts/auto/token', { spec: {} });
    const { url, ca } = credentialsOf(up.kubeconfig.text);
    const { token } = (asked.body as { status: { token: string } }).status;
    autoscaler = createRequester({ url, ca, token });
  });
  afterAll(() => autoscaler.close());

  const pods = async () => {
    const selector = 'labelSelector=ray.io/cluster%3Dauto';
    const first = await body('GET', `/api/v1/namespaces/default/pods?${selector}`);
    const head = first.items.find(
      (pod: { metadata: { labels: object } }) => Reflect.get(pod.metadata.labels, 'ray.io/node-type') === 'head',
    );
    if (head === undefined) return [];
    const { metadata } = await body('GET', `/api/v1/namespaces/default/pods/${head.metadata.name}`);
    const fresh = `resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=NotOlderThan`;
    return (await body('GET', `/api/v1/namespaces/default/pods?${selector}&${fresh}`)).items;
  };
  const workers = async () =>
    (await pods()).filter(
      (pod: { metadata: { labels: object } }) => Reflect.get(pod.metadata.labels, 'ray.io/group') === 'w',
    );

  it('read the cluster and its pods, scale up, and remove the worker they name', async () => {
    const cluster = await body('GET', path);
    expect(cluster.spec.workerGroupSpecs[0]).toMatchObject(group);
    await body('PATCH', path, [{ op: 'replace', path: '/spec/workerGroupSpecs/0/replicas', value: 3 }], json);
    const three = await vi.waitFor(
      async () => {
        const now = await workers();
        expect(now).toHaveLength(3);
        return now;
      },
      { timeout: 20_000 },
    );
    const victim = three[1].metadata.name;
    const strategy = {
      op: 'replace',
      path: '/spec/workerGroupSpecs/0/scaleStrategy',
      value: { workersToDelete: [victim] },
    };
    await body('PATCH', path, [{ op: 'replace', path: '/spec/workerGroupSpecs/0/replicas', value: 2 }, strategy], json);
    await vi.waitFor(
      async () => {
        const alive = (await workers()).filter((pod: { metadata: object }) => !('deletionTimestamp' in pod.metadata));
        expect(alive.map((pod: { metadata: { name: string } }) => pod.metadata.name)).not.toContain(victim);
        expect(alive).toHaveLength(2);
      },
      { timeout: 20_000 },
    );
    const cleared = await body('PATCH', path, [{ ...strategy, value: { workersToDelete: [] } }], json);
    expect(cleared.spec.workerGroupSpecs[0].scaleStrategy).toEqual({ workersToDelete: [] });
  });

  it('guard themselves by a test of the resourceVersion, and suspend or delete an idle cluster', async () => {
    const { metadata } = await body('GET', path);
    const finalize = (version: string) => [
      { op: 'test', path: '/metadata/resourceVersion', value: version },
      { op: 'add', path: '/metadata/finalizers', value: ['ray.io/test'] },
    ];
    expect(await autoscaler('PATCH', path, finalize('1'), json)).toMatchObject({ status: 422 });
    await body('PATCH', path, finalize(metadata.resourceVersion), json);
    await body('PATCH', path, [{ op: 'remove', path: '/metadata/finalizers' }], json);
    const [pod] = await pods();
    const annotate = { metadata: { annotations: { 'ray.io/ippr-status': 'x' } } };
    const strategic = { 'content-type': 'application/strategic-merge-patch+json' };
    const patched = await body('PATCH', `/api/v1/namespaces/default/pods/${pod.metadata.name}`, annotate, strategic);
    expect(patched.metadata.annotations['ray.io/ippr-status']).toBe('x');
    expect((await autoscaler('DELETE', path)).status).toBe(200);
  });

  it('may do no more than their role allows', async () => {
    expect((await autoscaler('GET', '/api/v1/namespaces/default/secrets')).status).toBe(403);
  });
});
