import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCertificateAuthority } from '@manta/kube/testing';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { freePort } from '../support/free-port.ts';
import { type OperatorProcess, startOperator } from '../support/operator-process.ts';
import { clusterSpec, createRayApi, installCrds, workerGroup } from './ray-api.ts';

/** Its own plane: a webhook that fails closed is in everybody's way. */
let plane: ControlPlane;
let operator: OperatorProcess;
let selfMade: OperatorProcess | undefined;
const folder = mkdtempSync(join(tmpdir(), 'manta-webhooks-'));

beforeAll(async () => {
  plane = await startControlPlane();
  await installCrds(plane);
  const authority = createCertificateAuthority();
  const { cert, key } = authority.issue({ commonName: 'webhooks', ips: ['127.0.0.1'] });
  mkdirSync(join(folder, 'certs'));
  writeFileSync(join(folder, 'certs/tls.crt'), cert);
  writeFileSync(join(folder, 'certs/tls.key'), key);
  const port = await freePort();
  operator = startOperator({
    env: {
      KUBECONFIG: plane.adminKubeconfig.path,
      ENABLE_WEBHOOKS: 'true',
      WEBHOOK_CERT_DIR: join(folder, 'certs'),
      WEBHOOK_PORT: String(port),
    },
  });
  await vi.waitUntil(() => operator.log().includes('Serving webhooks'), { timeout: 30_000 });
  const answer = await plane.request('POST', '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'manta' },
    webhooks: ['raycluster', 'rayjob', 'rayservice'].map((kind) => ({
      name: `v${kind}.kb.io`,
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      failurePolicy: 'Fail',
      clientConfig: {
        url: `https://127.0.0.1:${port}/validate-ray-io-v1-${kind}`,
        caBundle: Buffer.from(authority.cert).toString('base64'),
      },
      rules: [
        { apiGroups: ['ray.io'], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: [`${kind}s`] },
      ],
    })),
  });
  if (answer.status !== 201) throw new Error(answer.text);
});
afterAll(async () => {
  await operator.ended('SIGKILL');
  await selfMade?.ended('SIGKILL');
  await plane.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('objects that break a rule are refused by the API server with our words, on create and on update', async () => {
  const api = await createRayApi(plane);
  const twice = clusterSpec({ workerGroupSpecs: [workerGroup('a'), workerGroup('a')] });
  // A new configuration takes a moment to be heeded.
  await vi.waitFor(async () => expect((await api.create('RayCluster', 'probe', twice)).status).toBe(422), {
    timeout: 20_000,
    interval: 200,
  });
  const refused = await api.create('RayCluster', 'twice', twice);
  expect(refused.text).toContain('worker group names must be unique');
  expect((await api.create('RayJob', 'a.b', { entrypoint: 'x' })).text).toContain(
    'RayJob.ray.io \\"a.b\\" is invalid: metadata.name',
  );
  expect((await api.create('RayCluster', 'fine', clusterSpec())).status).toBe(201);
  expect((await api.patch('RayCluster', 'fine', { spec: twice })).status).toBe(422);
  expect((await api.patch('RayCluster', 'fine', { spec: clusterSpec({ suspend: true }) })).status).toBe(200);
});

it('users read warnings about what will have no effect', async () => {
  const api = await createRayApi(plane);
  const answer = await api.create('RayCluster', 'odd', clusterSpec({ autoscalerOptions: {} }));
  expect(answer.status).toBe(201);
  expect(String(answer.headers['warning'])).toContain('spec.autoscalerOptions has no effect');
});

it('an operator that makes its own certificate is trusted by the API server, with no certificate from anybody', async () => {
  const api = await createRayApi(plane);
  const ourPort = await freePort();
  const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
  const webhook = (kind: string) => ({
    name: `own-${kind}.kb.io`,
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    failurePolicy: 'Fail',
    clientConfig: { url: `https://localhost:${ourPort}/validate-ray-io-v1-${kind}` },
    rules: [{ apiGroups: ['ray.io'], apiVersions: ['v1'], operations: ['CREATE'], resources: [`${kind}s`] }],
  });
  const made = await plane.request('POST', path, {
    metadata: { name: 'self-made' },
    webhooks: ['rayjob', 'rayservice'].map(webhook),
  });
  expect(made.status).toBe(201);
  selfMade = startOperator({
    env: {
      KUBECONFIG: plane.adminKubeconfig.path,
      ENABLE_WEBHOOKS: 'true',
      WEBHOOK_PORT: String(ourPort),
      WEBHOOK_CERT_SECRET: 'webhook-certs',
      // What the API server calls us by, here where it cannot reach Services.
      WEBHOOK_SERVICE: 'localhost',
      WEBHOOK_CONFIGURATION: 'self-made',
      POD_NAMESPACE: 'default',
    },
  });
  // A refusal comes from us alone; before the API server knows of the webhooks it lets everything through.
  await vi.waitFor(async () => expect((await api.create('RayJob', 'a.b', { entrypoint: 'x' })).status).toBe(422), {
    timeout: 30_000,
    interval: 500,
  });
  const fine = await api.create('RayJob', 'fine', { entrypoint: 'x', rayClusterSpec: clusterSpec() });
  expect(fine.status).toBe(201);
  const secret = await plane.request('GET', '/api/v1/namespaces/default/secrets/webhook-certs');
  expect(Object.keys((secret.body as { data: object }).data).toSorted()).toEqual(['ca.crt', 'tls.crt', 'tls.key']);
  expect(selfMade.log()).not.toContain('PRIVATE KEY');
});
