import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { freePort } from '../support/free-port.ts';
import { type OperatorProcess, startOperator } from '../support/operator-process.ts';
import { clusterSpec, createRayApi, installCrds } from './ray-api.ts';

/** Its own plane: everything that is said there is searched. */
let plane: ControlPlane;
let operator: OperatorProcess;
let namespace: string;
let bearer = '';
const folder = mkdtempSync(join(tmpdir(), 'manta-secrets-'));
/** Each is somewhere where secrets are, or should not be but are. */
const PLANTED = {
  'the password of Redis, as a value': 'planted-redis-password',
  'a variable of a container': 'planted-container-variable',
  'the runtime environment of a job': 'planted-runtime-environment',
  'a runtime environment that cannot be read': 'planted-broken-environment',
  'the configuration of Serve': 'planted-serve-config',
  'a configuration of Serve that cannot be read': 'planted-broken-serve-config',
  'the metadata of a job': 'planted-job-metadata',
} as const;

beforeAll(async () => {
  plane = await startControlPlane();
  await installCrds(plane);
  const api = await createRayApi(plane);
  const made = await api.create(
    'RayCluster',
    'first',
    secretive(clusterSpec({ rayVersion: '2.55.0', authOptions: { mode: 'token' } })),
  );
  namespace = (made.body as { metadata: { namespace: string } }).metadata.namespace;
  bearer = await serviceAccountToken();
  const port = await freePort();
  operator = startOperator({
    args: ['--zap-log-level=debug', '--enable-metrics=true'],
    env: {
      KUBECONFIG: kubeconfigWith(bearer),
      ENABLE_WEBHOOKS: 'true',
      WEBHOOK_CERT_SECRET: 'hooks',
      WEBHOOK_PORT: String(port),
      POD_NAMESPACE: 'default',
    },
  });
  const rayClusterSpec = secretive(clusterSpec());
  const job = { entrypoint: 'true', rayClusterSpec, shutdownAfterJobFinishes: true };
  await api.create('RayJob', 'fine', {
    ...job,
    runtimeEnvYAML: `env_vars: {TOKEN: ${PLANTED['the runtime environment of a job']}}`,
    metadata: { note: PLANTED['the metadata of a job'] },
  });
  await api.create('RayJob', 'broken', {
    ...job,
    runtimeEnvYAML: `env_vars: {TOKEN: "${PLANTED['a runtime environment that cannot be read']}`,
  });
  await api.create('RayService', 'fine', {
    rayClusterConfig: rayClusterSpec,
    serveConfigV2: `applications: [{name: a, import_path: a.b, args: {key: ${PLANTED['the configuration of Serve']}}}]`,
  });
  await api.create('RayService', 'broken', {
    rayClusterConfig: rayClusterSpec,
    serveConfigV2: `applications: [{name: "${PLANTED['a configuration of Serve that cannot be read']}`,
  });
  // Errors of every kind: what cannot be created, twice over.
  await api.create(
    'RayCluster',
    'second',
    secretive(clusterSpec({ headGroupSpec: { template: { spec: { containers: [] } } } })),
  );
  const isDone = async () => (await events()).length > 5 && (await secrets()).length > 1;
  await vi.waitUntil(isDone, { timeout: 30_000, interval: 300 });
});
afterAll(async () => {
  await operator.ended('SIGKILL');
  await plane.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The spec with a password and a variable that nobody should read elsewhere. */
function secretive(spec: object): object {
  const text = JSON.stringify({
    ...spec,
    gcsFaultToleranceOptions: {
      redisAddress: 'redis:6379',
      redisPassword: { value: PLANTED['the password of Redis, as a value'] },
    },
  });
  const env = JSON.stringify([{ name: 'SECRET', value: PLANTED['a variable of a container'] }]);
  return JSON.parse(text.replaceAll('"image":', `"env":${env},"image":`));
}

async function serviceAccountToken(): Promise<string> {
  const accounts = '/api/v1/namespaces/default/serviceaccounts';
  await plane.request('POST', accounts, { metadata: { name: 'operator' } });
  await plane.request('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    metadata: { name: 'operator' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: 'operator', namespace: 'default' }],
  });
  const answer = await plane.request('POST', `${accounts}/operator/token`, { spec: {} });
  return (answer.body as { status: { token: string } }).status.token;
}

function kubeconfigWith(token: string): string {
  const ca = /certificate-authority-data['"]?: ['"]?([A-Za-z0-9+/=]+)/.exec(plane.adminKubeconfig.text)?.[1];
  const path = join(folder, 'kubeconfig');
  const cluster = { server: plane.url, 'certificate-authority-data': ca };
  const config = {
    'current-context': 'a',
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    clusters: [{ name: 'a', cluster }],
    users: [{ name: 'a', user: { token } }],
  };
  writeFileSync(path, stringify(config));
  return path;
}

async function events(): Promise<readonly object[]> {
  const answer = await plane.request('GET', `/apis/events.k8s.io/v1/namespaces/${namespace}/events`);
  return (answer.body as { items: readonly object[] }).items;
}

async function secrets(): Promise<readonly Readonly<Record<string, string>>[]> {
  const { body } = await plane.request('GET', '/api/v1/secrets');
  return (body as { items: { data?: Record<string, string> }[] }).items.map(({ data = {} }) => data);
}

/** Everything that people without access to Secrets and specs may get to see. */
async function said(): Promise<string> {
  const pages = await Promise.all([
    operator.get('metrics', '/metrics'),
    operator.get('health', '/healthz'),
    operator.get('health', '/readyz?verbose'),
  ]);
  return [operator.log(), ...pages].join('\n');
}

/** Whoever wrote what cannot be read gets it quoted, in the peer's words, in an event about his own object. */
const QUOTED: readonly string[] = [PLANTED['a runtime environment that cannot be read']];

describe('what the operator logs at its most talkative, tells in events, and shows as metrics and probes', () => {
  it('is not nothing', async () => {
    const text = await said();
    for (const part of ['starting manager', 'kuberay_cluster_info', 'readyz check passed'])
      expect(text).toContain(part);
    expect(JSON.stringify(await events())).toContain('Created');
  });

  it.each(Object.entries(PLANTED))('does not show %s', async (_, secret) => {
    expect((await said()).split('\n').filter((line) => line.includes(secret))).toEqual([]);
    const told = (await events()).map((event) => JSON.stringify(event)).filter((event) => event.includes(secret));
    expect(QUOTED.includes(secret) ? [] : told).toEqual([]);
  });

  it('shows no token and no key that it has or makes', async () => {
    const isPublic = (key: string) => key === 'ca.crt' || key === 'tls.crt';
    const values = (await secrets()).flatMap((data) =>
      Object.entries(data).flatMap(([key, value]) => (isPublic(key) ? [] : [value])),
    );
    const readable = values.map((value) => Buffer.from(value, 'base64').toString());
    // Of a key, a line in its middle.
    const parts = readable.map((text) => text.trim().split('\n')[1] ?? text);
    expect(values.length).toBeGreaterThan(1);
    const text = (await said()) + JSON.stringify(await events());
    expect([...values, ...parts, bearer].filter((secret) => text.includes(secret))).toEqual([]);
  });
});
