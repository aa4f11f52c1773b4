import { afterEach, describe, expect, it } from 'vitest';
import { buildRoutes } from '../../packages/router/src/gateway/build-routes.ts';
import type { Gateway, HttpRoute, Listener } from '../../packages/router/src/gateway/kinds.ts';
import { ask } from '../../packages/router/src/testing/ask.ts';
import { backendOf } from '../../packages/router/src/testing/backends.ts';
import { gatewayOf, observedOf, routeOf } from '../../packages/router/src/testing/objects.ts';
import { createParts } from '../../packages/router/src/testing/parts.ts';

const parts = createParts();
afterEach(() => parts.close());

const HOST = 'shop.example.com';
const http = (hostname?: string): Listener => ({
  name: 'http',
  protocol: 'HTTP',
  port: 80,
  ...(hostname ? { hostname } : {}),
});

function gatewayAt(namespace: string, name: string, year: number, listeners: readonly Listener[]): Gateway {
  const gateway = gatewayOf(name, { listeners });
  const creationTimestamp = `${year}-01-01T00:00:00Z`;
  return { ...gateway, metadata: { ...gateway.metadata, namespace, creationTimestamp } };
}

/** A route for `path`; its redirect shows who answered. */
function routeAt(namespace: string, gateway: string, path: string, hostnames: readonly string[] = []): HttpRoute {
  const rules = [
    {
      matches: [{ path: { type: 'PathPrefix', value: path } }],
      filters: [{ type: 'RequestRedirect', requestRedirect: { hostname: `${namespace}.answered` } }],
    },
  ];
  const route = routeOf('route', gateway, [], { hostnames, rules, parentRefs: [{ name: gateway, namespace }] });
  return { ...route, metadata: { ...route.metadata, namespace } };
}

/** What the router says about the Gateways, and who answers a request. */
async function serve(gateways: readonly Gateway[], routes: readonly HttpRoute[]) {
  const built = buildRoutes(observedOf({ gateways, routes }), 'manta');
  const { proxy, port } = await parts.proxy();
  proxy.setTable(built.table);
  const who = async (path: string, host = HOST) => {
    const { status, headers } = await ask(port, { path, headers: { host } });
    return /\/\/(\w+)\.answered/.exec(String(headers.location))?.[1] ?? status;
  };
  const conditions = (key: string) => {
    const listener = built.gateways.get(key)?.listeners[0];
    return Object.fromEntries(
      (listener?.conditions ?? []).map(({ type, status, reason }) => [type, `${status} ${reason}`]),
    );
  };
  return { who, conditions, built };
}

const victim = (listeners = [http(HOST)]) => gatewayAt('shop', 'shop', 2024, listeners);
const victimRoute = routeAt('shop', 'shop', '/');
const attacker = (listeners: readonly Listener[], name = 'a') => gatewayAt('evil', name, 2025, listeners);

describe('a Gateway of another namespace', () => {
  it('that is younger does not get the same hostname, and says so', async () => {
    const gateways = [attacker([http(HOST.toUpperCase())]), victim()];
    const { who, conditions, built } = await serve(gateways, [routeAt('evil', 'a', '/login'), victimRoute]);
    expect(await who('/login')).toBe('shop');
    expect(conditions('shop/shop')).toMatchObject({ Accepted: 'True Accepted', Conflicted: 'False NoConflicts' });
    expect(conditions('evil/a')).toMatchObject({
      Accepted: 'False HostnameConflict',
      Conflicted: 'True HostnameConflict',
      Programmed: 'False Invalid',
    });
    expect(built.routes.get('evil/route')?.[0]?.conditions[0]).toMatchObject({ type: 'Accepted', status: 'False' });
  });

  it('of the same age is the second by its namespace and name', async () => {
    const twin = gatewayAt('zoo', 'a', 2024, [http(HOST)]);
    const { who, conditions } = await serve([twin, victim()], [routeAt('zoo', 'a', '/login'), victimRoute]);
    expect(await who('/login')).toBe('shop');
    expect(conditions('zoo/a')).toMatchObject({ Conflicted: 'True HostnameConflict' });
  });

  it('does not get the hostname by a route on a listener for every host', async () => {
    const routes = [routeAt('evil', 'a', '/login', [HOST]), victimRoute];
    const { who, built } = await serve([attacker([http()]), victim()], routes);
    expect(await who('/login')).toBe('shop');
    const [accepted] = built.routes.get('evil/route')?.[0]?.conditions ?? [];
    expect(accepted).toMatchObject({ status: 'False', reason: 'NoMatchingListenerHostname' });
    expect(accepted?.message).toContain(`${HOST} belongs to the Gateway shop/shop`);
  });

  it('does not get a hostname that an older Gateway serves by a route', async () => {
    const routes = [routeAt('evil', 'a', '/login', [HOST]), routeAt('shop', 'shop', '/', [HOST])];
    const { who } = await serve([attacker([http()]), victim([http()])], routes);
    expect(await who('/login')).toBe('shop');
  });

  it('does not get a name under the wildcard of a listener by a route', async () => {
    const routes = [routeAt('evil', 'a', '/login', [HOST]), victimRoute];
    const { who } = await serve([attacker([http()]), victim([http('*.example.com')])], routes);
    expect(await who('/login')).toBe('shop');
  });

  it('does not get the hostname by its wildcard while the owner has no route', async () => {
    const { who } = await serve([attacker([http('*.example.com')]), victim()], [routeAt('evil', 'a', '/')]);
    expect(await who('/login')).toBe(404);
    expect(await who('/', 'other.example.com')).toBe('evil');
  });

  it('does not get http:// of a hostname whose https:// belongs to another', async () => {
    const tls: Listener = { name: 'https', protocol: 'HTTPS', port: 443, hostname: HOST };
    const { who, conditions } = await serve([attacker([http(HOST)]), victim([tls])], [routeAt('evil', 'a', '/')]);
    expect(await who('/')).not.toBe('evil');
    expect(conditions('evil/a')).toMatchObject({ Conflicted: 'True HostnameConflict' });
  });

  it('does not get the hostname by its own name', async () => {
    const gateway = gatewayAt('com', 'shop.example', 2023, [http()]);
    const { who } = await serve([gateway, victim()], [routeAt('com', 'shop.example', '/'), victimRoute]);
    expect(await who('/login')).toBe('shop');
    const under = await serve(
      [gateway, victim([http('*.example.com')])],
      [routeAt('com', 'shop.example', '/'), victimRoute],
    );
    expect(await under.who('/login')).toBe('shop');
  });
});

describe('Gateways for every host', () => {
  it('do not conflict: clients choose one by its name', async () => {
    const routes = [routeAt('evil', 'a', '/'), routeAt('shop', 'shop', '/')];
    const { who, conditions } = await serve([attacker([http()]), victim([http()])], routes);
    expect([await who('/', 'shop.shop'), await who('/', 'a.evil'), await who('/', 'x')]).toEqual(['shop', 'evil', 404]);
    expect(conditions('evil/a')).toMatchObject({ Accepted: 'True Accepted', Conflicted: 'False NoConflicts' });
  });
});

it('a Gateway’s own name wins over no hostname, also in a table that was made elsewhere', async () => {
  const { proxy, port } = await parts.proxy();
  const gateway = async (own: string, hostname: string | undefined) => {
    const backends = [backendOf(`d/${own}:1`, 1, await parts.says(own))];
    const rule = { key: own, createdAt: 0, matches: [], filters: [], backends };
    return { ownHosts: [own], hosts: [{ hostname, rules: [rule] }] };
  };
  proxy.setTable({ gateways: [await gateway(HOST, undefined), await gateway('owner.shop', HOST)] });
  expect((await ask(port, { headers: { host: `${HOST}.:80` } })).body).toBe('owner.shop');
});
