import { describe, expect, it } from 'vitest';
import { gatewayOf, grantOf, observedOf } from '../testing/objects.ts';
import type { CertificateRef, Gateway, Listener } from './kinds.ts';
import { namedSecrets } from './named-secrets.ts';

const listener = (...certificateRefs: readonly CertificateRef[]): Listener => ({
  name: 'https',
  protocol: 'HTTPS',
  port: 443,
  tls: { certificateRefs },
});
const gatewayAt = (namespace: string, listeners: readonly Listener[], more: Gateway['metadata'] = {}): Gateway => {
  const gateway = gatewayOf('g', { listeners });
  return { ...gateway, metadata: { ...gateway.metadata, namespace, ...more } };
};
const named = (content: Parameters<typeof observedOf>[0]) =>
  namedSecrets(observedOf(content), 'manta').map(({ namespace, name }) => `${namespace}/${name}`);

describe('namedSecrets()', () => {
  it('lists each Secret that HTTPS listeners name once', () => {
    const gateways = [gatewayAt('a', [listener({ name: 'x' }, { name: 'y' }), listener({ name: 'x' })])];
    expect(named({ gateways })).toEqual(['a/x', 'a/y']);
  });

  it.each<[string, Gateway]>([
    ['an HTTP listener', gatewayAt('a', [{ ...listener({ name: 'x' }), protocol: 'HTTP' }])],
    ['a listener that is not served', gatewayAt('a', [{ ...listener({ name: 'x' }), protocol: 'TLS' }])],
    [
      'a Gateway of another class',
      { ...gatewayAt('a', [listener({ name: 'x' })]), spec: { gatewayClassName: 'other' } },
    ],
    ['a reference to another kind', gatewayAt('a', [listener({ name: 'x', kind: 'ConfigMap' })])],
  ])('lists none for %s', (_, gateway) => {
    expect(named({ gateways: [gateway] })).toEqual([]);
  });

  it('lists none for a listener whose hostname belongs to an older Gateway', () => {
    const at = (year: number) => ({ creationTimestamp: `${year}-01-01T00:00:00Z` });
    const mine = gatewayAt('a', [{ ...listener({ name: 'x' }), hostname: 'h' }], at(2020));
    const younger = gatewayAt('b', [{ ...listener({ name: 'y' }), hostname: 'h' }], at(2021));
    expect(named({ gateways: [younger, mine] })).toEqual(['a/x']);
  });

  it('lists a Secret of another namespace only if a ReferenceGrant there permits it', () => {
    const gateways = [gatewayAt('a', [listener({ name: 'x', namespace: 'far' })])];
    expect(named({ gateways })).toEqual([]);
    const from = { kind: 'Gateway', namespace: 'a' };
    expect(named({ gateways, grants: [grantOf('far', from, { kind: 'Secret', name: 'y' })] })).toEqual([]);
    expect(named({ gateways, grants: [grantOf('far', from, { kind: 'Secret', name: 'x' })] })).toEqual(['far/x']);
  });

  it.each(['x,metadata.name=y', 'x=y', 'X', '', '../x', 'a\n'])(
    'lists none for %j, which is no name of a Secret and could select others',
    (name) => {
      expect(named({ gateways: [gatewayAt('a', [listener({ name })])] })).toEqual([]);
      expect(named({ gateways: [gatewayAt('a', [listener({ name: 'x', namespace: `a${name}` })])] })).toEqual(
        name === '' ? ['a/x'] : [],
      );
    },
  );

  it('lets namespaces take turns, so that many names of one tenant do not come before the first of another', () => {
    const many = listener(...Array.from({ length: 4 }, (_, index) => ({ name: `n${index}` })));
    const gateways = [gatewayAt('greedy', [many]), gatewayAt('small', [listener({ name: 'only' })])];
    expect(named({ gateways })).toEqual(['greedy/n0', 'small/only', 'greedy/n1', 'greedy/n2', 'greedy/n3']);
  });
});
