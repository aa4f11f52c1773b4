import { createCertificateAuthority, resources, TransportError } from '@manta/kube';
import { createMetricsRegistry, silentLogger } from '@manta/runtime';
import { FakeClient, FakeClock, seededRandom } from '@manta/runtime/testing';
import { afterEach, describe, expect, it } from 'vitest';
import type { RouteTable } from '../proxy/route-table.ts';
import { gatewayOf, secretOf } from '../testing/objects.ts';
import { createGatewayRouter } from './gateway-router.ts';
import { gateways, type Listener } from './kinds.ts';

const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

const https = (name: string): Listener => ({
  name,
  hostname: `${name}.example`,
  protocol: 'HTTPS',
  port: 443,
  tls: { certificateRefs: [{ name }] },
});

/** A router whose API server does not answer for the Secrets in `unanswered`. */
async function setUp(unanswered: Set<string>) {
  const clock = new FakeClock();
  const client = new FakeClient({ clock });
  client.faults.onRequest = ({ options }) => {
    const name = /metadata\.name=([^,]+)/.exec(options.fieldSelector ?? '')?.[1];
    if (name !== undefined && unanswered.has(name)) throw new TransportError('no answer', { wasNeverSent: false });
  };
  await client.create(gateways, gatewayOf('g', { listeners: [] }));
  const tables: RouteTable[] = [];
  const proxy = { setTable: (table: RouteTable) => void tables.push(table), setReason: () => undefined };
  const world = { clock, client, random: seededRandom(1), log: silentLogger, metrics: createMetricsRegistry() };
  const router = createGatewayRouter(world, { proxy, className: 'manta', namespaces: [] });
  const stop = new AbortController();
  stops.push(stop);
  for (const part of [...router.informers, ...router.runnables]) void part.run(stop.signal);
  await clock.advance(100);
  const setListeners = async (...listeners: readonly Listener[]) => {
    const { spec } = gatewayOf('g', { listeners });
    await client.patch(gateways, { name: 'g', namespace: 'default' }, { type: 'merge', body: { spec } });
  };
  const certificates = () => tables.at(-1)?.secure?.certificates.map(({ hostname }) => hostname);
  return { clock, client, tables, setListeners, certificates };
}

describe('the routing table', () => {
  it('waits for a newly named Secret for two seconds at most, and serves the old table meanwhile', async () => {
    const { clock, tables, setListeners } = await setUp(new Set(['slow']));
    const before = tables.length;
    await setListeners(https('slow'));
    await clock.advance(1_900);
    expect(tables).toHaveLength(before);
    await clock.advance(200);
    expect(tables.length).toBeGreaterThan(before);
  });

  it('is not delayed again by a Secret that did not arrive in time', async () => {
    const { clock, tables, setListeners } = await setUp(new Set(['slow']));
    await setListeners(https('slow'));
    await clock.advance(2_100);
    await setListeners(https('slow'), { name: 'http', protocol: 'HTTP', port: 80, hostname: 'plain.example' });
    await clock.advance(0);
    expect(tables.at(-1)?.gateways[0]?.hosts.map(({ hostname }) => hostname)).toEqual(['plain.example']);
  });

  it('has the certificate of a Secret that arrives late', async () => {
    const unanswered = new Set(['slow']);
    const { clock, client, setListeners, certificates } = await setUp(unanswered);
    const pair = createCertificateAuthority().issue({ commonName: 'slow.example' });
    await client.create(resources.secrets, secretOf('slow', pair));
    await setListeners(https('slow'));
    await clock.advance(5_000);
    expect(certificates()).toEqual([]);
    unanswered.clear();
    await clock.advance(60_000);
    expect(certificates()).toEqual(['slow.example']);
    await setListeners({ name: 'http', protocol: 'HTTP', port: 80 });
    await clock.advance(0);
    expect(certificates()).toEqual([]);
  });
});
