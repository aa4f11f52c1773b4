import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kubernetesVersion } from '../../tools/fetch/kube/programs.ts';
import { createRequester } from '../support/api-request.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { createTestNamespace } from '../support/namespace.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';

const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: '1' } });

/** A process that has ended but that nobody has asked about yet is gone all the same. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const stat = `/proc/${pid}/stat`;
  return !existsSync(stat) || !/^\d+ \(.*\) Z/.test(readFileSync(stat, 'utf8'));
}

async function eventually(isSo: () => boolean, timeoutMs = 10_000): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    if (isSo()) return true;
    await sleep(20);
  }
  return isSo();
}

describe('the shared control plane', () => {
  it('is the Kubernetes release that we measure ourselves by', async () => {
    const version = await sharedControlPlane().request('GET', '/version');
    expect(version.body).toMatchObject({ major: '1', minor: '36', gitVersion: `v${kubernetesVersion}` });
  });

  it('gives a certificate user nothing until RBAC does, and then no more than that', async () => {
    const plane = sharedControlPlane();
    const namespace = (await createTestNamespace(plane)).name;
    const user = plane.user({ name: `ada-${namespace}`, groups: ['readers'] });
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const refused = await user.request('GET', path);
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({ reason: 'Forbidden' });

    await plane.apply(`
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: reader, namespace: ${namespace} }
rules: [{ apiGroups: [''], resources: [configmaps], verbs: [get, list] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: reader, namespace: ${namespace} }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader }
subjects: [{ apiGroup: rbac.authorization.k8s.io, kind: User, name: ${user.name} }]
`);
    await expect.poll(async () => (await user.request('GET', path)).status).toBe(200);
    expect((await user.request('POST', path, configMap('x'))).status).toBe(403);
    const listed = await plane.kubectl(['get', 'configmaps', '-n', namespace, '-o', 'name'], { user });
    expect(listed).toBe('');
  });

  it('refuses a user whose certificate has expired', async () => {
    const user = sharedControlPlane().user({ name: 'late', notAfter: new Date(Date.now() - 1000) });
    expect((await user.request('GET', '/version')).status).toBe(401);
  });

  it('counts requests by user, verb and resource', async () => {
    const plane = sharedControlPlane();
    const namespace = (await createTestNamespace(plane)).name;
    const user = plane.user({ name: `grace-${namespace}`, groups: ['system:masters'] });
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    await user.request('POST', path, configMap('a'));
    const mark = await plane.audit.mark();
    await user.request('POST', path, configMap('b'));
    await user.request('POST', path, configMap('b'));
    await user.request('GET', `${path}?limit=1`);
    await user.request('GET', `${path}?watch=1&timeoutSeconds=1`);

    expect(await plane.audit.tally({ user: user.name }, mark)).toEqual({
      [`${user.name} create configmaps`]: 2,
      [`${user.name} list configmaps`]: 1,
      [`${user.name} watch configmaps`]: 1,
    });
    expect(await plane.audit.count({ user: user.name, verb: 'create', resource: 'configmaps' })).toBe(3);
    expect(await plane.audit.count({ user: user.name, code: 409 })).toBe(1);
  });
});

describe('a control plane of a test’s own', () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await startControlPlane({
      controllerManager: true,
      tokens: [{ token: 's3cret', user: 'tok', groups: ['a', 'b'] }],
    });
  });
  afterAll(() => plane.stop());

  it('runs Kubernetes’ own controllers where they are asked for', async () => {
    const { name } = await createTestNamespace(plane);
    const account = `/api/v1/namespaces/${name}/serviceaccounts/default`;
    await expect.poll(async () => (await plane.request('GET', account)).status, { timeout: 20_000 }).toBe(200);
    await plane.request('DELETE', `/api/v1/namespaces/${name}`);
    const gone = async () => (await plane.request('GET', `/api/v1/namespaces/${name}`)).status;
    await expect.poll(gone, { timeout: 60_000 }).toBe(404);
  });

  it('issues service account tokens that it accepts', async () => {
    const path = '/api/v1/namespaces/default/serviceaccounts/default/token';
    const issued = await plane.request('POST', path, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {},
    });
    expect(issued.status).toBe(201);
    const { token } = (issued.body as { status: { token: string } }).status;
    expect(await whoami(token)).toMatchObject({ username: 'system:serviceaccount:default:default' });
  });

  it('knows users by the tokens it was given', async () => {
    const user = await whoami('s3cret');
    expect(user).toMatchObject({ username: 'tok', groups: expect.arrayContaining(['a', 'b']) });
    expect(await whoami('wrong')).toBeUndefined();
  });

  it('keeps its data and its address over a restart of the API server', async () => {
    const path = '/api/v1/namespaces/default/configmaps';
    const made = await plane.request('POST', path, configMap('kept'));
    expect(made.status).toBe(201);
    await plane.stopApiServer('SIGKILL');
    await expect(plane.request('GET', path)).rejects.toThrow(/ECONNREFUSED|ECONNRESET|socket hang up/);
    await plane.startApiServer();
    expect((await plane.request('GET', `${path}/kept`)).body).toEqual(made.body);
  });

  it('hangs while etcd is paused, and goes on when it is resumed', async () => {
    const path = '/api/v1/namespaces/default/configmaps';
    plane.pauseEtcd();
    let isDone = false;
    const write = plane.request('POST', path, configMap('slow')).finally(() => (isDone = true));
    await sleep(1_000);
    const wasDone = isDone;
    plane.resumeEtcd();
    expect((await write).status).toBe(201);
    expect(wasDone).toBe(false);
  });

  async function whoami(token: string): Promise<unknown> {
    const request = createRequester({ url: plane.url, ca: plane.ca.cert, token });
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const answer = await request('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', review);
    request.close();
    return answer.status === 201 ? (answer.body as { status: { userInfo: unknown } }).status.userInfo : undefined;
  }
});

describe('what is left behind', () => {
  it('is nothing after stop', async () => {
    const plane = await startControlPlane();
    const pids = plane.pids();
    expect(pids).toHaveLength(2);
    expect(pids.every(isAlive)).toBe(true);
    await plane.stop();
    expect(pids.filter(isAlive)).toEqual([]);
    expect(existsSync(plane.access.folder)).toBe(false);
  });

  it('is nothing after the process that started it was killed with SIGKILL, even with etcd paused', async () => {
    const owner = spawn(process.execPath, [new URL('../support/run-control-plane.ts', import.meta.url).pathname], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(createInterface({ input: owner.stdout }), 'line')) as [string];
    const { pids, folder } = JSON.parse(line) as { pids: number[]; folder: string };
    expect(pids).toHaveLength(3);
    expect(pids.every(isAlive)).toBe(true);

    owner.kill('SIGKILL');
    expect(await eventually(() => !pids.some(isAlive))).toBe(true);
    expect(await eventually(() => !existsSync(folder))).toBe(true);
  });
});
