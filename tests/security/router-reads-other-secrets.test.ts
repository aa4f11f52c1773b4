import {
  createCertificateAuthority,
  createKubeClient,
  createTransport,
  loadConnection,
  resources,
  systemClock,
  type Transport,
} from '@manta/kube';
import { createMetricsRegistry, silentLogger } from '@manta/runtime';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createGatewayRouter } from '../../packages/router/src/gateway/gateway-router.ts';
import { type CertificateRef, gateways, referenceGrants } from '../../packages/router/src/gateway/kinds.ts';
import { installCrds } from '../../packages/router/src/gateway/writes.ts';
import type { RouteTable } from '../../packages/router/src/proxy/route-table.ts';
import { gatewayOf, grantOf, secretOf } from '../../packages/router/src/testing/objects.ts';
import { startTestEngine } from '@manta/apiserver/testing';

/** One request for Secrets: what was asked, what came back, and whether its answer has ended. */
interface SecretRequest {
  readonly selector: string;
  readonly path: string;
  answer: string;
  isOpen: boolean;
}

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

const eventually = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 20_000, interval: 20 });
const authority = createCertificateAuthority();
const pair = (commonName: string) => authority.issue({ commonName });

/** Records every request for Secrets and each byte of its answer. */
function recording(transport: Transport, requests: SecretRequest[]): Transport {
  return {
    ...transport,
    close: () => transport.close(),
    async send(request) {
      const url = new URL(request.path, 'http://server');
      const response = await transport.send(request);
      if (!url.pathname.endsWith('/secrets')) return response;
      const record = {
        selector: url.searchParams.get('fieldSelector') ?? '',
        path: url.pathname,
        answer: '',
        isOpen: true,
      };
      requests.push(record);
      async function* body() {
        try {
          for await (const chunk of response.body) {
            record.answer += Buffer.from(chunk).toString();
            yield chunk;
          }
        } finally {
          record.isOpen = false;
        }
      }
      return { status: response.status, headers: response.headers, body: body() };
    },
  };
}

/** A router that may read every Secret of an engine with three of them: `named`, `unrelated`, and `far/other`. */
async function setUp() {
  const engine = await startTestEngine();
  ends.push(() => engine.stop());
  await installCrds(engine.client);
  for (const name of ['default', 'far']) {
    await engine.client.create(resources.namespaces, { metadata: { name } }).catch(() => undefined);
  }
  const secrets = [
    secretOf('named', pair('named')),
    secretOf('unrelated', pair('x')),
    secretOf('other', pair('y'), 'far'),
  ];
  for (const secret of secrets) await engine.client.create(resources.secrets, secret);
  await engine.client.create(resources.secrets, {
    ...secretOf('opaque', { cert: 'c', key: 'k' }),
    type: 'Opaque',
  });
  const requests: SecretRequest[] = [];
  const connection = await loadConnection({ kubeconfig: engine.admin.kubeconfig.path });
  const transport = recording(createTransport({ connection, clock: systemClock, userAgent: 'router' }), requests);
  const client = createKubeClient({ transport, clock: systemClock });
  const world = {
    clock: systemClock,
    random: Math.random,
    client,
    log: silentLogger,
    metrics: createMetricsRegistry(),
  };
  const tables: RouteTable[] = [];
  const proxy = { setTable: (next: RouteTable) => void tables.push(next), setReason: () => undefined };
  const router = createGatewayRouter(world, { proxy, className: 'manta', namespaces: [] });
  const stop = new AbortController();
  const parts = [...router.informers, ...router.runnables].map((part) => part.run(stop.signal));
  ends.push(async () => {
    stop.abort();
    await Promise.all(parts);
    await transport.close();
  });
  await engine.client.create(gateways, gatewayOf('g'));
  /** Names these Secrets in a listener, and waits for the table that follows. */
  const name = async (...certificateRefs: readonly CertificateRef[]) => {
    const listener = { name: 'https', protocol: 'HTTPS', port: 443, hostname: 'a.example', tls: { certificateRefs } };
    const listeners = certificateRefs.length === 0 ? [{ name: 'http', protocol: 'HTTP', port: 80 }] : [listener];
    const { spec } = gatewayOf('g', { listeners });
    const before = tables.length;
    await engine.client.patch(gateways, { name: 'g', namespace: 'default' }, { type: 'merge', body: { spec } });
    await eventually(() => expect(tables.length).toBeGreaterThan(before));
  };
  const certificates = () =>
    tables
      .at(-1)
      ?.secure?.certificates.map(({ certs }) => certs)
      .flat() ?? [];
  return { engine, requests, name, certificates, tables, secrets };
}

describe('a router that may read every Secret', () => {
  it('asks for none while no listener names one', async () => {
    const { requests, tables } = await setUp();
    await eventually(() => expect(tables.length).toBeGreaterThan(0));
    expect(requests).toEqual([]);
  });

  it('receives the named Secret and no byte of any other', async () => {
    const { engine, requests, name, certificates, secrets } = await setUp();
    await name({ name: 'named' });
    await eventually(() => expect(certificates()).toHaveLength(1));
    // Changes of other Secrets reach no watch of the router either.
    const labels = { metadata: { labels: { changed: 'yes' } } };
    for (const { metadata = {} } of secrets.toReversed()) {
      const ref = { name: metadata.name ?? '', namespace: metadata.namespace ?? '' };
      await engine.client.patch(resources.secrets, ref, { type: 'merge', body: labels });
    }
    await eventually(() => expect(requests.map(({ answer }) => answer).join('')).toContain('"changed":"yes"'));
    expect(requests.map(({ path, selector }) => `${path} ${selector}`)).toEqual([
      '/api/v1/namespaces/default/secrets metadata.name=named,type=kubernetes.io/tls',
    ]);
    const received = requests.map(({ answer }) => answer).join('');
    expect(received).toContain('"name":"named"');
    expect(received).not.toMatch(/unrelated|other|opaque/);
  });

  it('closes the watch of a Secret that no listener names any more', async () => {
    const { requests, name, certificates } = await setUp();
    await name({ name: 'named' });
    await eventually(() => expect(certificates()).toHaveLength(1));
    expect(requests.map(({ isOpen }) => isOpen)).toEqual([true]);
    await name();
    await eventually(() => expect(certificates()).toEqual([]));
    await eventually(() => expect(requests.map(({ isOpen }) => isOpen)).toEqual([false]));
  });

  it('asks for a Secret of another namespace only while a ReferenceGrant permits it', async () => {
    const { engine, requests, name, certificates } = await setUp();
    await name({ name: 'other', namespace: 'far' });
    await name({ name: 'named' });
    await eventually(() => expect(certificates()).toHaveLength(1));
    expect(requests.filter(({ path }) => path.includes('/far/'))).toEqual([]);
    const grant = grantOf('far', { kind: 'Gateway', namespace: 'default' }, { kind: 'Secret', name: 'other' });
    await engine.client.create(referenceGrants, grant);
    await name({ name: 'other', namespace: 'far' });
    await eventually(() => expect(requests.filter(({ path }) => path.includes('/far/'))).toHaveLength(1));
    await engine.client.delete(referenceGrants, { name: 'grant', namespace: 'far' });
    await eventually(() => expect(requests.every(({ isOpen }) => !isOpen)).toBe(true));
  });

  it('cannot be made to select other Secrets by the name in a listener', async () => {
    const { requests, name, certificates } = await setUp();
    await name({ name: 'x,metadata.name!=x' });
    await name({ name: 'opaque' }, { name: 'named' });
    await eventually(() => expect(requests).toHaveLength(2));
    await name({ name: 'named' });
    await eventually(() => expect(certificates()).toHaveLength(1));
    expect(requests.map(({ selector }) => selector).toSorted()).toEqual([
      'metadata.name=named,type=kubernetes.io/tls',
      'metadata.name=opaque,type=kubernetes.io/tls',
    ]);
    expect(requests.map(({ answer }) => answer).join('')).not.toMatch(/unrelated|other|"name":"opaque"/);
  });
});
