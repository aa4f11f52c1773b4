import { rayService } from '@manta/api/testing';
import { describe, expect, it } from 'vitest';
import type { Gateway, HttpRoute } from '../rayservice/observed.ts';
import { alignGateway, buildGateway } from './gateway.ts';
import { alignHttpRoute, buildHttpRoute, weightOf } from './http-route.ts';

const service = rayService('svc');
const backends = [
  { service: 'a-serve-svc', port: 8000, weight: 80 },
  { service: 'p-serve-svc', port: 8000, weight: 20 },
];
const route = buildHttpRoute(service, backends);
const rule = route.spec?.rules?.[0];

describe('the route of a service', () => {
  it('says how much each cluster gets', () => {
    expect([weightOf(route, 'a'), weightOf(route, 'p'), weightOf(route, 'x')]).toEqual([80, 20, undefined]);
    expect(weightOf({}, 'a')).toBeUndefined();
  });

  it('takes no part of a name for a name', () => {
    const other = buildHttpRoute(service, [{ service: 'svc-abc-serve-svc', port: 8000, weight: 100 }]);
    expect(weightOf(other, 'abc')).toBeUndefined();
  });

  it.each<[string, HttpRoute]>([
    ['what the API fills in', { ...route, spec: { ...route.spec, hostnames: [] } }],
    ['filters that are empty', { ...route, spec: { ...route.spec, rules: [{ ...rule, filters: [] }] } }],
  ])('is not rewritten for %s', (_, live) => {
    expect(alignHttpRoute(live, route)).toBeUndefined();
  });

  it.each<[string, HttpRoute]>([
    ['other weights', buildHttpRoute(service, [{ service: 'a-serve-svc', port: 8000, weight: 100 }])],
    [
      'another port',
      buildHttpRoute(
        service,
        backends.map((backend) => ({ ...backend, port: 9000 })),
      ),
    ],
    ['hostnames', { ...route, spec: { ...route.spec, hostnames: ['x'] } }],
    ['another parent', { ...route, spec: { ...route.spec, parentRefs: [{ name: 'x' }] } }],
    ['a filter', { ...route, spec: { ...route.spec, rules: [{ ...rule, filters: [{ type: 'X' }] }] } }],
    ['no rules', { ...route, spec: {} }],
  ])('is put right when it has %s', (_, live) => {
    const next = alignHttpRoute(live, route);
    expect(next?.spec).toEqual(route.spec);
  });
});

describe('the Gateway of a service', () => {
  const gateway = buildGateway(service, 'istio');

  it('is not rewritten for what others add to a listener', () => {
    const [listener] = gateway.spec?.listeners ?? [];
    const filled = { ...listener, allowedRoutes: {} } as NonNullable<typeof listener>;
    expect(alignGateway({ ...gateway, spec: { ...gateway.spec, listeners: [filled] } }, gateway)).toBeUndefined();
  });

  it.each<[string, Gateway['spec']]>([
    ['class', { ...gateway.spec, gatewayClassName: 'other' }],
    ['port', { ...gateway.spec, listeners: [{ name: 'http', protocol: 'HTTP', port: 81 }] }],
    ['number of listeners', { ...gateway.spec, listeners: [] }],
  ])('is put right when its %s differs', (_, spec) => {
    expect(alignGateway({ ...gateway, spec: spec ?? {} }, gateway)?.spec).toEqual(gateway.spec);
  });
});
