import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createKubeClient, createTransport, loadConnection, resources, systemClock } from '@manta/kube';
import { createInformer, type Informer, silentLogger } from '@manta/runtime';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';

/** Its own plane: it is restarted, and its tokens are changed. */
let plane: ControlPlane;
const folder = mkdtempSync(join(tmpdir(), 'manta-credentials-'));
const ends: (() => Promise<void>)[] = [];
const GROUPS = ['system:masters'];
const CERTIFICATE_LIFE_MS = 4_000;

beforeAll(async () => {
  plane = await startControlPlane({ tokens: [{ token: 'first', user: 'robot', groups: GROUPS }] });
});
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});
afterAll(async () => {
  await plane.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A running informer of config maps for a user whose credentials lie in files. */
async function follow(user: object): Promise<Informer> {
  const kubeconfig = join(folder, `${Math.random().toString(36).slice(2)}.json`);
  const ca = Buffer.from(plane.ca.cert).toString('base64');
  const config = {
    'current-context': 'plane',
    clusters: [{ name: 'plane', cluster: { server: plane.url, 'certificate-authority-data': ca } }],
    users: [{ name: 'user', user }],
    contexts: [{ name: 'plane', context: { cluster: 'plane', user: 'user' } }],
  };
  writeFileSync(kubeconfig, JSON.stringify(config));
  const transport = createTransport({ connection: await loadConnection({ kubeconfig }), clock: systemClock });
  const client = createKubeClient({ transport, clock: systemClock });
  const world = { client, clock: systemClock, random: Math.random, log: silentLogger };
  const informer = createInformer(world, {
    type: resources.configMaps,
    namespaces: ['default'],
    project: (object) => object.metadata?.uid ?? '',
  });
  const stop = new AbortController();
  const over = informer.run(stop.signal);
  ends.push(async () => {
    stop.abort();
    await over;
    await transport.close();
  });
  await vi.waitFor(() => expect(informer.hasSynced()).toBe(true), { timeout: 20_000 });
  return informer;
}

async function create(name: string): Promise<void> {
  const answer = await plane.request('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name } });
  expect(answer.status).toBe(201);
}

function contentOf(informer: Informer): object {
  return Object.fromEntries([...informer.keys()].map((key) => [key, informer.get(key)]));
}

/** Everything that a fresh list has, under the same uids. */
async function equalsAFreshList(informer: Informer): Promise<void> {
  await vi.waitFor(
    async () => {
      const { body } = await plane.request('GET', '/api/v1/namespaces/default/configmaps');
      const { items } = body as { items: { metadata: { name: string; uid: string } }[] };
      const listed = Object.fromEntries(items.map(({ metadata }) => [`default/${metadata.name}`, metadata.uid]));
      expect(contentOf(informer)).toEqual(listed);
    },
    { timeout: 100_000, interval: 500 },
  );
}

test('an informer whose token was replaced follows on with the new one', async () => {
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, 'first');
  const informer = await follow({ tokenFile });
  await create('before-the-token-changed');
  await equalsAFreshList(informer);
  writeFileSync(join(dirname(plane.adminKubeconfig.path), 'tokens.csv'), `second,robot,robot,"${GROUPS.join(',')}"\n`);
  writeFileSync(tokenFile, 'second');
  await plane.restartApiServer('SIGKILL');
  await create('after-the-token-changed');
  await equalsAFreshList(informer);
  expect(contentOf(informer)).toHaveProperty(['default/after-the-token-changed']);
});

test('an informer whose certificate has expired follows on when a new one is there', async () => {
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const write = (notAfter: Date) => {
    const { cert, key } = plane.user({ name: 'robot', groups: GROUPS, notAfter });
    writeFileSync(certFile, cert);
    writeFileSync(keyFile, key);
  };
  const expiresAt = Date.now() + CERTIFICATE_LIFE_MS;
  write(new Date(expiresAt));
  const informer = await follow({ 'client-certificate': certFile, 'client-key': keyFile });
  await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(expiresAt), { timeout: 20_000 });
  // A connection that is open stays so; the next one meets the expired certificate.
  await plane.restartApiServer('SIGKILL');
  await create('while-the-certificate-was-expired');
  await vi.waitFor(() => expect(informer.status().troubles).not.toEqual([]), { timeout: 30_000 });
  write(new Date(Date.now() + 3_600_000));
  await equalsAFreshList(informer);
}, 180_000);
