import { expect, onTestFinished, test } from 'vitest';
import { discover, isServed } from './discovery.ts';
import { pods, rayClusters } from '../resources.ts';
import { failureStatus, type FaultyApi, startFaultyApi } from '../testing/index.ts';

async function serving(paths: Readonly<Record<string, unknown>>): Promise<FaultyApi> {
  const api = await startFaultyApi();
  onTestFinished(() => api.close());
  api.server.otherwise((exchange) => {
    const body = paths[exchange.path];
    if (body === undefined) exchange.json(404, failureStatus(404, 'NotFound', 'not found'));
    else exchange.json(200, body);
  });
  return api;
}

const podList = {
  resources: [
    { name: 'pods', kind: 'Pod', namespaced: true, singularName: 'pod', verbs: ['get', 'list'], shortNames: ['po'] },
    { name: 'pods/status', kind: 'Pod', namespaced: true, verbs: ['get'] },
  ],
};

test('a server without aggregated discovery is asked group by group; a broken group hides no other', async () => {
  const { client } = await serving({
    '/api': { kind: 'APIVersions', versions: ['v1'] },
    '/api/v1': podList,
    '/apis': { kind: 'APIGroupList', groups: [{ name: 'metrics.k8s.io', versions: [{ version: 'v1beta1' }] }] },
  });
  expect(await discover(client)).toEqual([
    {
      name: '',
      versions: [
        {
          version: 'v1',
          isFresh: true,
          resources: [
            {
              type: { group: '', version: 'v1', plural: 'pods', kind: 'Pod', isNamespaced: true },
              verbs: ['get', 'list'],
              shortNames: ['po'],
              singularName: 'pod',
              categories: [],
              subresources: ['status'],
            },
          ],
        },
      ],
    },
    { name: 'metrics.k8s.io', versions: [{ version: 'v1beta1', isFresh: false, resources: [] }] },
  ]);
});

test('aggregated discovery takes two requests; a stale group is marked', async () => {
  const resource = {
    resource: 'rayclusters',
    responseKind: { kind: 'RayCluster' },
    scope: 'Namespaced',
    verbs: ['get'],
    singularResource: 'raycluster',
    subresources: [{ subresource: 'status' }],
  };
  const { client, server } = await serving({
    '/api': { kind: 'APIGroupDiscoveryList', items: [] },
    '/apis': {
      kind: 'APIGroupDiscoveryList',
      items: [
        { metadata: { name: 'ray.io' }, versions: [{ version: 'v1', freshness: 'Current', resources: [resource] }] },
        { metadata: { name: 'metrics.k8s.io' }, versions: [{ version: 'v1beta1', freshness: 'Stale' }] },
      ],
    },
  });
  const groups = await discover(client);
  expect(groups[0]?.versions[0]?.resources[0]).toMatchObject({ type: rayClusters, subresources: ['status'] });
  expect(groups[1]?.versions[0]).toEqual({ version: 'v1beta1', isFresh: false, resources: [] });
  expect(server.requests).toHaveLength(2);
});

test('isServed: yes, not this resource, not this group; a failure is no answer', async () => {
  const { client, server } = await serving({ '/api/v1': podList });
  expect(await isServed(client, pods)).toBe(true);
  expect(await isServed(client, { ...pods, plural: 'services' })).toBe(false);
  expect(await isServed(client, rayClusters)).toBe(false);
  server.otherwise((exchange) => exchange.json(500, {}));
  await expect(isServed(client, rayClusters)).rejects.toMatchObject({ code: 500 });
});
