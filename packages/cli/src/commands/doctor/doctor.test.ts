import type { EndpointSlice, RayCluster } from '@manta/api';
import { EMPTY_WORLD } from '@manta/insight';
import { describe, expect, it } from 'vitest';
import { watchedNamespaces } from './cluster-checks.ts';
import { checkLeftovers, checkVulnerabilities } from './object-checks.ts';
import { hasReadyEndpoint } from './webhook-checks.ts';

describe('hasReadyEndpoint()', () => {
  const slice = (text: string): EndpointSlice => JSON.parse(text);

  it.each([
    [false, '{"endpoints": null}'],
    [false, '{"endpoints": [{"addresses": ["10.0.0.1"], "conditions": {"ready": false}}]}'],
    [true, '{"endpoints": [{"addresses": ["10.0.0.1"], "conditions": {}}]}'],
  ])('is %s for %s', (expected, text) => {
    expect(hasReadyEndpoint([slice(text)])).toBe(expected);
  });
});

describe('watchedNamespaces()', () => {
  const operator = (...args: readonly string[]) => ({
    metadata: { namespace: 'ray-system' },
    spec: { template: { spec: { containers: [{ args }] } } },
  });

  it.each([
    [['--metrics-addr=:8080'], []],
    [['--watch-namespace='], []],
    [['--watch-namespace=a, b'], ['a', 'b']],
    [
      ['--watch-namespace', 'a,b'],
      ['a', 'b'],
    ],
    [['--watch-namespace=$(POD_NAMESPACE)'], ['ray-system']],
    [['--watch-namespace=$(OTHER)'], []],
  ])('of the arguments %j are %j', (args, expected) => {
    expect(watchedNamespaces(operator(...args))).toEqual(expected);
  });
});

describe('checkLeftovers()', () => {
  it('names the missing right if the user may not list a kind', () => {
    const right = 'list rayjobs.ray.io in namespace team-a';
    const rayJobs = { kind: 'unreadable', right } as const;
    expect(checkLeftovers({ ...EMPTY_WORLD, rayJobs })).toEqual([
      { check: 'finalizers', state: 'unknown', says: `you may not ${right}` },
    ]);
  });
});

describe('checkVulnerabilities()', () => {
  it.each([
    ['warning', 'rayproject/ray:2.53.0-gpu', '2.60.0'],
    ['warning', 'registry.example.com/train:3.1', '2.53.0'],
    ['ok', 'registry.example.com/train:1.4.2', '2.60.0'],
    ['ok', 'registry.example.com/train:1.4.2', ''],
  ])('is %s for image %s with rayVersion "%s"', (state, image, rayVersion) => {
    const template = { spec: { containers: [{ name: 'ray-head', image }] } };
    const spec = { rayVersion, headGroupSpec: { template, rayStartParams: {} } };
    const cluster: RayCluster = { metadata: { namespace: 'team-a', name: 'demo' }, spec };
    const rayClusters = { kind: 'seen', items: [cluster] } as const;
    expect(checkVulnerabilities({ ...EMPTY_WORLD, rayClusters })).toMatchObject([{ state }]);
  });

  it('fails for a head Service of type LoadBalancer without a token', () => {
    const template = { spec: { containers: [{ name: 'ray-head', image: 'rayproject/ray:2.60.0' }] } };
    const headService = { spec: { type: 'LoadBalancer' } };
    const cluster: RayCluster = { spec: { headGroupSpec: { template, rayStartParams: {}, headService } } };
    const rayClusters = { kind: 'seen', items: [cluster] } as const;
    expect(checkVulnerabilities({ ...EMPTY_WORLD, rayClusters })).toMatchObject([{ state: 'failed' }]);
  });
});
