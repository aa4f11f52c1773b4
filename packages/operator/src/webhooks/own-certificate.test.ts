import { X509Certificate } from 'node:crypto';
import type { KubeObject, Secret } from '@manta/api';
import { ApiError, type ResourceType, resources } from '@manta/kube';
import { silentLogger } from '@manta/runtime';
import { FakeClient, FakeClock } from '@manta/runtime/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ServingCertificate } from './certificate.ts';
import { keepOwnCertificate } from './own-certificate.ts';

const CONFIGURATIONS: ResourceType = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural: 'validatingwebhookconfigurations',
  kind: 'ValidatingWebhookConfiguration',
  isNamespaced: false,
};
const DAY_MS = 86_400_000;
const START = Date.parse('2026-03-01T00:00:00Z');
const REF = { name: 'certs', namespace: 'ray-system' };
let clock: FakeClock;
let client: FakeClient;
let stop: AbortController;
let complaints: string[];
const log = { ...silentLogger, error: (_: string, error: unknown) => void complaints.push(String(error)) };

beforeEach(() => {
  clock = new FakeClock(START);
  client = new FakeClient({ clock });
  stop = new AbortController();
  complaints = [];
});
afterEach(() => stop.abort());

const configuration = (names: readonly string[]): KubeObject & { webhooks: object[] } => ({
  metadata: { name: 'hooks' },
  webhooks: names.map((name) => ({ name, clientConfig: {} })),
});
const configure = (...names: readonly string[]) => client.create(CONFIGURATIONS, configuration(names));

/** One replica; gives the certificates that it came to serve. */
async function start(): Promise<readonly ServingCertificate[]> {
  const served: ServingCertificate[] = [];
  const settings = {
    ...REF,
    secret: REF.name,
    service: 'hook',
    clusterDomain: 'cluster.local',
    configuration: 'hooks',
  };
  const onCertificate = (certificate: ServingCertificate) => void served.push(certificate);
  void keepOwnCertificate({ client, clock, log, ...settings, onCertificate }, stop.signal);
  await clock.advance(100);
  return served;
}

const secret = () => client.get<Secret>(resources.secrets, REF);
const kept = async (key: string) => Buffer.from((await secret()).data?.[key] ?? '', 'base64').toString();
async function bundles(): Promise<readonly string[]> {
  const { webhooks } = (await client.get(CONFIGURATIONS, { name: 'hooks' })) as unknown as ReturnType<
    typeof configuration
  >;
  return webhooks.map((hook) =>
    Buffer.from((hook as { clientConfig: { caBundle?: string } }).clientConfig.caBundle ?? '', 'base64').toString(),
  );
}

it('makes a certificate that names the Service, and has every webhook trust it before it is served', async () => {
  await configure('a', 'b');
  const [served] = await start();
  const leaf = new X509Certificate(served?.cert ?? '');
  expect(leaf.checkHost('hook.ray-system.svc')).toBe('hook.ray-system.svc');
  const [first = '', second] = await bundles();
  expect(second).toBe(first);
  expect(leaf.verify(new X509Certificate(first).publicKey)).toBe(true);
  expect(Object.keys((await secret()).data ?? {}).toSorted()).toEqual(['ca.crt', 'tls.crt', 'tls.key']);
  expect(complaints).toEqual([]);
});

it('is one certificate for all replicas, whoever comes first', async () => {
  await configure('a');
  const [one, other] = await Promise.all([start(), start()]);
  await clock.advance(10_000);
  expect(one).toHaveLength(1);
  expect(other).toEqual(one);
});

it('renews it when a third of its life is left; what was served until then is trusted on', async () => {
  await configure('a');
  const later = async (days: number) => {
    stop.abort();
    stop = new AbortController();
    clock = new FakeClock(START + days * DAY_MS);
    return (await start())[0]?.cert ?? '';
  };
  const first = await later(0);
  expect(await later(240)).toBe(first);
  const second = await later(245);
  expect(second).not.toBe(first);
  const [bundle = ''] = await bundles();
  const authorities = bundle.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? [];
  expect(authorities).toHaveLength(2);
  const trusts = (cert: string) =>
    authorities.some((ca) => new X509Certificate(cert).verify(new X509Certificate(ca).publicKey));
  expect([first, second].map(trusts)).toEqual([true, true]);
});

it('makes it anew when the Secret was deleted or garbled', async () => {
  await configure('a');
  const served = await start();
  await client.delete(resources.secrets, REF);
  await clock.advance(60_000);
  expect(served).toHaveLength(2);
  await client.patch(resources.secrets, REF, { type: 'merge', body: { data: { 'tls.crt': 'AAAA' } } });
  await clock.advance(60_000);
  expect(served).toHaveLength(3);
  expect(await kept('tls.crt')).toBe(served[2]?.cert);
});

it('puts the authority back when somebody applied the configuration without it', async () => {
  await configure('a');
  await start();
  await client.delete(CONFIGURATIONS, { name: 'hooks' });
  await configure('a', 'c');
  await clock.advance(60_000);
  expect((await bundles()).every((bundle) => bundle.includes('BEGIN CERTIFICATE'))).toBe(true);
});

it("touches no Secret of somebody else's, and says so once", async () => {
  await configure('a');
  await client.create<Secret>(resources.secrets, { metadata: REF, data: { 'tls.crt': 'AAAA' } });
  const served = await start();
  await clock.advance(60_000);
  expect(served).toEqual([]);
  expect((await secret()).data).toEqual({ 'tls.crt': 'AAAA' });
  expect(complaints).toEqual([expect.stringContaining('ray-system/certs is not ours')]);
});

it('says which configuration is missing, and serves from the moment it is there', async () => {
  const served = await start();
  expect(complaints).toEqual([expect.stringContaining('there is no ValidatingWebhookConfiguration hooks')]);
  await configure('a');
  await clock.advance(5_000);
  expect(served).toHaveLength(1);
});

it('says which permission is missing', async () => {
  await configure('a');
  client.faults.onRequest = ({ verb, path }) => {
    if (verb === 'patch') throw new ApiError({ method: 'PATCH', path }, 403, 'no');
  };
  expect(await start()).toEqual([]);
  expect(complaints).toEqual([expect.stringContaining('manta rbac --profile webhook-certificates')]);
});
