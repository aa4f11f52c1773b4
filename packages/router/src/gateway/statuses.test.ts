import { describe, expect, it } from 'vitest';
import { gatewayOf, observedOf, routeOf } from '../testing/objects.ts';
import { buildRoutes } from './build-routes.ts';
import { gatewayStatus, routeStatus } from './statuses.ts';

const T1 = '2026-01-01T00:00:00Z';
const T2 = '2026-01-02T00:00:00Z';
const built = buildRoutes(observedOf({ gateways: [gatewayOf('g')], routes: [routeOf('r', 'g', [])] }), 'manta');
const verdict = built.gateways.get('default/g');
const parents = built.routes.get('default/r') ?? [];
if (verdict === undefined) throw new Error('the Gateway is ours');

describe('a status', () => {
  it('is written once: saying it again changes nothing', () => {
    const gateway = gatewayStatus(undefined, verdict, undefined, T1);
    expect(gateway).toBeDefined();
    expect(gatewayStatus(gateway, verdict, undefined, T2)).toBeUndefined();
    const route = routeStatus(undefined, parents, T1);
    expect(route).toBeDefined();
    expect(routeStatus(route, parents, T2)).toBeUndefined();
  });

  it('keeps the time of what has not changed', () => {
    const before = gatewayStatus(undefined, verdict, undefined, T1);
    const refused = {
      ...verdict,
      conditions: verdict.conditions.map((one) =>
        one.type === 'Programmed' ? { ...one, status: 'False' as const } : one,
      ),
    };
    const after = gatewayStatus(before, refused, undefined, T2);
    expect(after?.conditions?.map(({ type, lastTransitionTime }) => [type, lastTransitionTime])).toEqual([
      ['Accepted', T1],
      ['Programmed', T2],
    ]);
  });

  it('says the addresses where we know them, and leaves those of others where we do not', () => {
    const addresses = [{ type: 'IPAddress', value: '10.0.0.1' }];
    const before = gatewayStatus(undefined, verdict, addresses, T1);
    expect(before?.addresses).toEqual(addresses);
    expect(gatewayStatus(before, verdict, undefined, T2)).toBeUndefined();
    expect(gatewayStatus(before, verdict, [{ type: 'Hostname', value: 'x' }], T2)?.addresses).toEqual([
      { type: 'Hostname', value: 'x' },
    ]);
  });

  it('leaves what another router says of a route, and takes our own word back when the route leaves us', () => {
    const other = { parentRef: { name: 'g2' }, controllerName: 'example.com/other', conditions: [] };
    const both = routeStatus({ parents: [other] }, parents, T1);
    expect(both?.parents?.map(({ controllerName }) => controllerName)).toEqual([
      'example.com/other',
      'manta.ray.io/router',
    ]);
    expect(routeStatus(both, [], T2)).toEqual({ parents: [other] });
    expect(routeStatus({ parents: [other] }, [], T2)).toBeUndefined();
  });
});
