import { describe, expect, it } from 'vitest';
import { classOf, gatewayOf, grantOf, observedOf, routeOf, serviceOf, sliceOf } from '../testing/objects.ts';
import { buildRoutes } from './build-routes.ts';
import type { HttpRoute } from './kinds.ts';

const services = [serviceOf('a-serve-svc'), serviceOf('b-serve-svc')];
const slices = [sliceOf('a-serve-svc', [['10.0.0.1'], ['10.0.0.2']]), sliceOf('b-serve-svc', [['10.0.0.3']])];
const backendRefs = [
  { name: 'a-serve-svc', namespace: 'default', port: 8000, weight: 75 },
  { name: 'b-serve-svc', namespace: 'default', port: 8000, weight: 25 },
];
const route = routeOf('svc-httproute', 'svc-gateway', backendRefs);
const gateway = gatewayOf('svc-gateway');

const build = (content: Parameters<typeof observedOf>[0]) =>
  buildRoutes(observedOf({ services, slices, gateways: [gateway], routes: [route], ...content }), 'manta');

/** `type=status reason` of each condition. */
const said = (conditions: readonly { type: string; status: string; reason: string }[] = []) =>
  conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`);
const routeSays = (content: Parameters<typeof observedOf>[0]) => {
  const [verdicts] = build(content).routes.values();
  return said(verdicts?.[0]?.conditions);
};
const backendsOf = (content: Parameters<typeof observedOf>[0]) =>
  build(content).table.gateways[0]?.hosts[0]?.rules[0]?.backends.map(({ key, weight, endpoints, problem }) => ({
    key,
    weight,
    at: endpoints.map(({ host, port, protocol }) => `${protocol} ${host}:${port}`),
    ...(problem === undefined ? {} : { problem }),
  }));

describe('a RayService’s Gateway and route', () => {
  it('become rules with weights and endpoints', () => {
    expect(build({}).table.gateways).toMatchObject([
      { ownHosts: ['svc-gateway.default'], hosts: [{ hostname: undefined }] },
    ]);
    expect(backendsOf({})).toEqual([
      { key: 'default/a-serve-svc:8000', weight: 75, at: ['auto 10.0.0.1:8000', 'auto 10.0.0.2:8000'] },
      { key: 'default/b-serve-svc:8000', weight: 25, at: ['auto 10.0.0.3:8000'] },
    ]);
  });

  it.each([
    ['Exact', '/caf%c3%a9', '/caf%C3%A9'],
    ['PathPrefix', '/%7euser', '/~user'],
    ['RegularExpression', '/%c3.*', '/%c3.*'],
  ])('have paths in the form of requests: %s %s', (type, value, expected) => {
    const rules = [{ matches: [{ path: { type, value } }], backendRefs }];
    const { gateways } = build({ routes: [{ ...route, spec: { ...route.spec, rules } }] }).table;
    expect(gateways[0]?.hosts[0]?.rules[0]?.matches[0]?.path?.value).toBe(expected);
  });

  it('are accepted, resolved and programmed', () => {
    const { gateways } = build({});
    const verdict = gateways.get('default/svc-gateway');
    expect(said(verdict?.conditions)).toEqual(['Accepted=True Accepted', 'Programmed=True Programmed']);
    expect(verdict?.conditions[0]).toMatchObject({ observedGeneration: 1 });
    expect(verdict?.listeners).toMatchObject([
      { name: 'http', attachedRoutes: 1, supportedKinds: [{ kind: 'HTTPRoute' }] },
    ]);
    expect(routeSays({})).toEqual(['Accepted=True Accepted', 'ResolvedRefs=True ResolvedRefs']);
  });
});

describe('endpoints', () => {
  it.each([
    ['that are not ready are left out', [['1.1.1.1', { ready: false }], ['2.2.2.2']], ['auto 2.2.2.2:8000']],
    ['that say nothing are ready', [['1.1.1.1', {}]], ['auto 1.1.1.1:8000']],
    [
      'that leave are left out while others are ready',
      [['1.1.1.1', { ready: false, serving: true, terminating: true }], ['2.2.2.2']],
      ['auto 2.2.2.2:8000'],
    ],
    [
      'that leave are used while no other is ready',
      [
        ['1.1.1.1', { ready: false, serving: true, terminating: true }],
        ['2.2.2.2', { ready: false }],
      ],
      ['auto 1.1.1.1:8000'],
    ],
    [
      'that leave and do not serve are never used',
      [['1.1.1.1', { ready: false, serving: false, terminating: true }]],
      [],
    ],
  ] as const)('%s', (_, endpoints, expected) => {
    const [first] = backendsOf({ slices: [sliceOf('a-serve-svc', endpoints)] }) ?? [];
    expect(first?.at).toEqual(expected);
  });

  it('are none in a slice that says null', () => {
    const none = { ...sliceOf('a-serve-svc', []), endpoints: null, ports: null };
    const both = [none as unknown as ReturnType<typeof sliceOf>, sliceOf('a-serve-svc', [['1.1.1.1']])];
    expect(backendsOf({ slices: both })?.[0]?.at).toEqual(['auto 1.1.1.1:8000']);
  });

  it('have the port that the pod listens on, not that of the Service', () => {
    const [first] = backendsOf({ slices: [sliceOf('a-serve-svc', [['1.1.1.1']], 9999)] }) ?? [];
    expect(first?.at).toEqual(['auto 1.1.1.1:9999']);
  });

  it.each([
    ['kubernetes.io/h2c', 'http2'],
    ['grpc', 'http2'],
    ['kubernetes.io/ws', 'http1'],
    [undefined, 'auto'],
  ])('of a port with the appProtocol %s speak %s', (appProtocol, protocol) => {
    const [first] = backendsOf({ services: [serviceOf('a-serve-svc', 8000, appProtocol)] }) ?? [];
    expect(first?.at[0]).toMatch(protocol);
  });

  it('that are missing are explained', () => {
    const problemOf = (content: Parameters<typeof observedOf>[0]) => backendsOf(content)?.[0]?.problem;
    expect(problemOf({ slices: [] })).toBe('no pod fits its selector');
    expect(problemOf({ slices: [sliceOf('a-serve-svc', [['1.1.1.1', { ready: false }]])] })).toBe(
      'none of its 1 pods is ready',
    );
    expect(problemOf({ services: [] })).toBe('the Service does not exist');
    expect(problemOf({ services: [serviceOf('a-serve-svc', 80)] })).toBe('the Service has no such port; it has 80');
  });
});

describe('whose Gateway it is', () => {
  const count = (content: Parameters<typeof observedOf>[0]) => build(content).gateways.size;

  it('is told by the controller of its class, or by the name where there are no classes', () => {
    expect(count({})).toBe(1);
    expect(count({ gateways: [gatewayOf('g', { className: 'istio' })] })).toBe(0);
    expect(count({ classes: [] })).toBe(1);
    expect(count({ classes: [classOf('manta', 'example.com/other')] })).toBe(0);
    const fast = { gateways: [gatewayOf('g', { className: 'fast' })], routes: [] };
    expect(count({ ...fast, classes: [classOf('fast', 'manta.ray.io/router')] })).toBe(1);
  });

  it('decides whether a route is any of our business', () => {
    expect(build({ routes: [routeOf('r', 'other', backendRefs)] }).routes.size).toBe(0);
  });
});

describe('a route is refused', () => {
  const listener = { name: 'http', protocol: 'HTTP', port: 80 };
  const parented = (parentRef: object): HttpRoute => ({
    ...route,
    spec: { ...route.spec, parentRefs: [{ name: 'svc-gateway', ...parentRef }] },
  });
  it.each([
    [
      'that names a listener that is not there',
      { routes: [parented({ sectionName: 'https' })] },
      'Accepted=False NoMatchingParent',
    ],
    ['that names a port that is not there', { routes: [parented({ port: 81 })] }, 'Accepted=False NoMatchingParent'],
    [
      'of another namespace',
      { routes: [{ ...parented({ namespace: 'default' }), metadata: { name: 'r', namespace: 'far' } }] },
      'Accepted=False NotAllowedByListeners',
    ],
    [
      'for hosts that no listener has',
      {
        gateways: [gatewayOf('svc-gateway', { listeners: [{ ...listener, hostname: 'a.com' }] })],
        routes: [routeOf('r', 'svc-gateway', backendRefs, { hostnames: ['b.com'] })],
      },
      'Accepted=False NoMatchingListenerHostname',
    ],
    [
      'with a filter that we do not have',
      { routes: [routeOf('r', 'svc-gateway', [], { rules: [{ filters: [{ type: 'RequestMirror' }], backendRefs }] })] },
      'Accepted=False UnsupportedValue',
    ],
  ])('%s', (_, content, expected) => {
    expect(routeSays(content)[0]).toBe(expected);
  });

  it('and says so to its clients, where it was the filter', () => {
    const mirror = { rules: [{ filters: [{ type: 'RequestMirror' }], backendRefs }] };
    const { table } = build({ routes: [routeOf('r', 'svc-gateway', [], mirror)] });
    expect(table.gateways[0]?.hosts[0]?.rules[0]?.filters).toEqual([
      { kind: 'refuse', why: 'the filter RequestMirror is not served' },
    ]);
  });

  it.each([
    [
      'a value of two lines',
      { type: 'ResponseHeaderModifier', responseHeaderModifier: { set: [{ name: 'a', value: 'b\r\nc: d' }] } },
    ],
    [
      'a name that is none',
      { type: 'RequestHeaderModifier', requestHeaderModifier: { add: [{ name: 'a b', value: 'c' }] } },
    ],
    ['a path with a space', { type: 'URLRewrite', urlRewrite: { path: { replaceFullPath: '/a b' } } }],
    ['a host of two lines', { type: 'RequestRedirect', requestRedirect: { hostname: 'a\nb' } }],
    [
      'another length of the request',
      { type: 'RequestHeaderModifier', requestHeaderModifier: { set: [{ name: 'Content-Length', value: '3' }] } },
    ],
    [
      'no length of the answer',
      { type: 'ResponseHeaderModifier', responseHeaderModifier: { remove: ['content-length'] } },
    ],
    [
      'another coding of the answer',
      {
        type: 'ResponseHeaderModifier',
        responseHeaderModifier: { add: [{ name: 'transfer-encoding', value: 'gzip' }] },
      },
    ],
    [
      'another host, as a header',
      { type: 'RequestHeaderModifier', requestHeaderModifier: { set: [{ name: 'Host', value: 'other' }] } },
    ],
  ])('with a filter that says what none may: %s', (_, filter) => {
    const routes = [routeOf('r', 'svc-gateway', [], { rules: [{ filters: [filter], backendRefs }] })];
    expect(routeSays({ routes })[0]).toBe('Accepted=False UnsupportedValue');
    expect(build({ routes }).table.gateways[0]?.hosts[0]?.rules[0]?.filters).toMatchObject([{ kind: 'refuse' }]);
  });

  it('in part, where a pattern cannot be read: such a match fits nothing', () => {
    const broken = { rules: [{ matches: [{ path: { type: 'RegularExpression', value: '(' } }], backendRefs }] };
    const { table } = build({ routes: [routeOf('r', 'svc-gateway', [], broken)] });
    expect(table.gateways[0]?.hosts[0]?.rules).toEqual([]);
  });
});

it.each([
  ['is not there', [{ name: 'gone', port: 8000 }], 'ResolvedRefs=False BackendNotFound'],
  ['is no Service', [{ kind: 'Pod', name: 'a', port: 8000 }], 'ResolvedRefs=False InvalidKind'],
  ['lies in another namespace', [{ name: 'a', namespace: 'far', port: 8000 }], 'ResolvedRefs=False RefNotPermitted'],
])('a backend that %s is told of', (_, refs, expected) => {
  expect(routeSays({ routes: [routeOf('r', 'svc-gateway', refs)] })[1]).toBe(expected);
});

it('a backend of another namespace is served where that namespace grants it, and only then', () => {
  const content = {
    routes: [routeOf('r', 'svc-gateway', [{ name: 'a', namespace: 'far', port: 8000 }])],
    services: [serviceOf('a', 8000, undefined, 'far')],
    slices: [sliceOf('a', [['10.9.9.9']], 8000, 'far')],
  };
  const from = { kind: 'HTTPRoute', namespace: 'default' };
  const [refused] = backendsOf(content) ?? [];
  expect(refused?.at).toEqual([]);
  expect(refused?.problem).toBe(
    'a ReferenceGrant in the namespace far has to allow it, from HTTPRoute of the namespace default to Service a',
  );
  const granted = { ...content, grants: [grantOf('far', from, { kind: 'Service' })] };
  expect(backendsOf(granted)).toEqual([{ key: 'far/a:8000', weight: 1, at: ['auto 10.9.9.9:8000'] }]);
  expect(routeSays(granted)[1]).toBe('ResolvedRefs=True ResolvedRefs');
  const wrong = [
    grantOf('default', from, { kind: 'Service' }),
    grantOf('far', { ...from, kind: 'Gateway' }, { kind: 'Service' }),
    grantOf('far', { ...from, namespace: 'other' }, { kind: 'Service' }),
    grantOf('far', from, { kind: 'Service', name: 'b' }),
    grantOf('far', from, { kind: 'Secret' }),
  ];
  expect(routeSays({ ...content, grants: wrong })[1]).toBe('ResolvedRefs=False RefNotPermitted');
});

it('a listener that we cannot serve is told of, and the others are served', () => {
  const listeners = [
    { name: 'http', protocol: 'HTTP', port: 80 },
    { name: 'tcp', protocol: 'TCP', port: 5000 },
  ];
  const both = build({ gateways: [gatewayOf('svc-gateway', { listeners })] }).gateways.get('default/svc-gateway');
  expect(said(both?.conditions)).toEqual(['Accepted=True ListenersNotValid', 'Programmed=True Programmed']);
  expect(said(both?.listeners[1]?.conditions).slice(0, 2)).toEqual([
    'Accepted=False UnsupportedProtocol',
    'Programmed=False Invalid',
  ]);
  const none = build({ gateways: [gatewayOf('svc-gateway', { listeners: listeners.slice(1) })] });
  expect(said(none.gateways.get('default/svc-gateway')?.conditions)).toEqual([
    'Accepted=False ListenersNotValid',
    'Programmed=False Invalid',
  ]);
});

it.each([
  ['only kinds that we do not know', [{ kind: 'TCPRoute' }], 0, 'Accepted=False NotAllowedByListeners'],
  ['also such a kind', [{ kind: 'TCPRoute' }, { kind: 'HTTPRoute' }], 1, 'Accepted=True Accepted'],
])('a listener that allows %s says so', (_, kinds, supported, accepted) => {
  const listeners = [{ name: 'http', protocol: 'HTTP', port: 80, allowedRoutes: { kinds } }];
  const content = { gateways: [gatewayOf('svc-gateway', { listeners })] };
  const [listener] = build(content).gateways.get('default/svc-gateway')?.listeners ?? [];
  expect(said(listener?.conditions)[2]).toBe('ResolvedRefs=False InvalidRouteKinds');
  expect(listener?.supportedKinds).toHaveLength(supported);
  expect(routeSays(content)[0]).toBe(accepted);
});
