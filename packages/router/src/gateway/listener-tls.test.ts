import { createCertificateAuthority } from '@manta/kube';
import { describe, expect, it } from 'vitest';
import { Certificates } from '../proxy/certificates.ts';
import { gatewayOf, grantOf, observedOf, routeOf, secretOf } from '../testing/objects.ts';
import { buildRoutes } from './build-routes.ts';
import type { Gateway, Listener } from './kinds.ts';

const authority = createCertificateAuthority();
const [a, b] = ['a', 'b'].map((commonName) => authority.issue({ commonName })) as [Pair, Pair];
type Pair = ReturnType<typeof authority.issue>;

const https: Listener = { name: 'https', protocol: 'HTTPS', port: 443, tls: { certificateRefs: [{ name: 'cert' }] } };
const withRefs = (...certificateRefs: readonly object[]): Listener => ({ ...https, tls: { certificateRefs } });
const secrets = [secretOf('cert', a)];
const FROM = { kind: 'Gateway', namespace: 'default' };

function build(listeners: readonly Listener[], content: Parameters<typeof observedOf>[0] = {}) {
  const observed = observedOf({ secrets, gateways: [gatewayOf('g', { listeners })], ...content });
  const { table, gateways } = buildRoutes(observed, 'manta');
  const verdict = gateways.get('default/g');
  const says = (conditions: readonly { type: string; status: string; reason: string }[] = []) =>
    conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`);
  return {
    table,
    gateway: says(verdict?.conditions),
    listener: says(verdict?.listeners[0]?.conditions),
    message: verdict?.listeners[0]?.conditions.find(({ message }) => message !== '')?.message,
    served: table.secure?.certificates.map(({ hostname }) => hostname),
    kinds: verdict?.listeners[0]?.supportedKinds,
  };
}

describe('an HTTPS listener', () => {
  it('is served with the certificate of its Secret, for its host name', () => {
    const built = build([{ ...https, hostname: '*.example.com' }]);
    expect(built.gateway).toEqual(['Accepted=True Accepted', 'Programmed=True Programmed']);
    expect(built.listener).toEqual([
      'Accepted=True Accepted',
      'Programmed=True Programmed',
      'ResolvedRefs=True ResolvedRefs',
      'Conflicted=False NoConflicts',
    ]);
    expect(built.table.secure?.certificates).toEqual([{ hostname: '*.example.com', certs: [a.cert], keys: [a.key] }]);
  });

  it('for every host is served under the name of its Gateway too', () => {
    expect(build([https]).served).toEqual(['g.default', undefined]);
  });

  it('has routes that only clients with TLS reach; a route of both kinds of listeners is one rule for all', () => {
    const http: Listener = { name: 'http', protocol: 'HTTP', port: 80 };
    const toBoth = routeOf('both', 'g', []);
    const toOne = routeOf('one', 'g', [], { parentRefs: [{ name: 'g', sectionName: 'https' }] });
    const { table } = build([https, http], { routes: [toBoth, toOne] });
    const keys = (gateways: typeof table.gateways = []) =>
      gateways.flatMap(({ hosts }) => hosts.flatMap(({ rules }) => rules.map(({ key }) => key)));
    expect(keys(table.gateways)).toEqual(['default/both/0']);
    expect(keys(table.secure?.gateways)).toEqual(['default/both/0', 'default/one/0']);
  });

  it('may have a certificate of another namespace where that grants it', () => {
    const far = { secrets: [secretOf('cert', b, 'far')] };
    const listener = withRefs({ name: 'cert', namespace: 'far' });
    expect(build([listener], far).listener[2]).toBe('ResolvedRefs=False RefNotPermitted');
    const granted = { ...far, grants: [grantOf('far', FROM, { kind: 'Secret', name: 'cert' })] };
    expect(build([listener], granted).table.secure?.certificates[0]?.certs).toEqual([b.cert]);
    const ofRoutes = { ...far, grants: [grantOf('far', { ...FROM, kind: 'HTTPRoute' }, { kind: 'Secret' })] };
    expect(build([listener], ofRoutes).listener[2]).toBe('ResolvedRefs=False RefNotPermitted');
  });

  it('may have several certificates: of those of one kind of key the first counts', () => {
    const built = build([withRefs({ name: 'cert' }, { name: 'more' })], { secrets: [...secrets, secretOf('more', b)] });
    expect(built.table.secure?.certificates[0]).toMatchObject({ certs: [a.cert], keys: [a.key] });
    const held = new Certificates();
    held.set(built.table.secure?.certificates ?? []);
    expect(held.contextFor('any.example.com')).toBeDefined();
  });

  it.each([
    ['names no Secret', withRefs(), {}, 'ResolvedRefs=False InvalidCertificateRef', 'names no Secret'],
    [
      'has a Secret that is not there',
      withRefs({ name: 'x' }),
      {},
      'ResolvedRefs=False InvalidCertificateRef',
      'default/x: there is no such Secret',
    ],
    [
      'names another kind',
      withRefs({ kind: 'ConfigMap', name: 'x' }),
      {},
      'ResolvedRefs=False InvalidCertificateRef',
      'ConfigMap holds no certificate',
    ],
    [
      'has a key of another certificate',
      https,
      { secrets: [secretOf('cert', { cert: a.cert, key: b.key })] },
      'ResolvedRefs=False InvalidCertificateRef',
      'mismatch',
    ],
    [
      'has an empty Secret',
      https,
      { secrets: [secretOf('cert', { cert: '', key: '' })] },
      'ResolvedRefs=False InvalidCertificateRef',
      'it needs tls.crt and tls.key',
    ],
    [
      'has nonsense for a certificate',
      https,
      { secrets: [secretOf('cert', { ...a, cert: 'x' })] },
      'ResolvedRefs=False InvalidCertificateRef',
      'default/cert: ',
    ],
    [
      'cannot be looked after',
      https,
      { certificatesProblem: 'may not' },
      'ResolvedRefs=False InvalidCertificateRef',
      'may not',
    ],
    [
      'leaves TLS to the pods',
      { ...https, tls: { ...https.tls, mode: 'Passthrough' } },
      {},
      'Accepted=False UnsupportedValue',
      'tls.mode Passthrough',
    ],
    [
      'wants certificates of clients',
      { ...https, tls: { ...https.tls, frontendValidation: {} } },
      {},
      'Accepted=False UnsupportedValue',
      'certificates of clients',
    ],
  ] satisfies [string, Listener, object, string, string][])(
    'that %s is not served, and says why',
    (_, listener, content, condition, message) => {
      const built = build([listener], content);
      expect(built.gateway).toEqual(['Accepted=False ListenersNotValid', 'Programmed=False Invalid']);
      expect(built.listener).toContain(condition);
      expect(built.listener[1]).toBe('Programmed=False Invalid');
      expect(built.message).toContain(message);
      expect(built.served).toEqual([]);
      expect(built.kinds).toHaveLength(1);
    },
  );

  it('whose Gateway wants certificates of clients is not served', () => {
    const gateway = gatewayOf('g', { listeners: [https] });
    const asking: Gateway = { ...gateway, spec: { ...gateway.spec, tls: { frontend: {} } } };
    expect(build([], { gateways: [asking] }).listener[0]).toBe('Accepted=False UnsupportedValue');
  });

  it('that cannot be served leaves its neighbours alone, and none of them serves its routes', () => {
    const built = build([withRefs(), { name: 'http', protocol: 'HTTP', port: 80 }], {
      routes: [routeOf('r', 'g', [])],
    });
    expect(built.gateway).toEqual(['Accepted=True ListenersNotValid', 'Programmed=True Programmed']);
    expect(built.table.gateways[0]?.hosts).toHaveLength(1);
    expect(built.table.secure?.gateways).toEqual([{ ownHosts: ['g.default'], hosts: [] }]);
  });
});
