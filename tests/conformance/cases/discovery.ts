import { expect } from '../support/expect.ts';
import { expectRefusal } from '../support/expect-status.ts';
import type { Case, Fields, Target } from '../support/target.ts';

const aggregatedType =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json';

interface ApiResource extends Fields {
  readonly name: string;
}

async function resourceNamed(t: Target, groupVersion: string, name: string): Promise<Fields> {
  const list = await t.must('GET', groupVersion === 'v1' ? '/api/v1' : `/apis/${groupVersion}`);
  const found = (list['resources'] as ApiResource[]).find((resource) => resource.name === name);
  if (found === undefined) throw new Error(`${name} is not served by ${groupVersion}`);
  const { storageVersionHash: _, ...rest } = found;
  return rest;
}

const allVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const statusVerbs = ['get', 'patch', 'update'];

type Expected = readonly [groupVersion: string, resource: Fields & { readonly name: string }];

const served: readonly Expected[] = [
  [
    'v1',
    {
      name: 'pods',
      singularName: 'pod',
      namespaced: true,
      kind: 'Pod',
      verbs: allVerbs,
      shortNames: ['po'],
      categories: ['all'],
    },
  ],
  ['v1', { name: 'pods/status', singularName: '', namespaced: true, kind: 'Pod', verbs: statusVerbs }],
  ['v1', { name: 'pods/log', singularName: '', namespaced: true, kind: 'Pod', verbs: ['get'] }],
  ['v1', { name: 'pods/binding', singularName: '', namespaced: true, kind: 'Binding', verbs: ['create'] }],
  [
    'v1',
    {
      name: 'pods/eviction',
      singularName: '',
      namespaced: true,
      group: 'policy',
      version: 'v1',
      kind: 'Eviction',
      verbs: ['create'],
    },
  ],
  [
    'v1',
    {
      name: 'namespaces',
      singularName: 'namespace',
      namespaced: false,
      kind: 'Namespace',
      verbs: allVerbs.filter((verb) => verb !== 'deletecollection'),
      shortNames: ['ns'],
    },
  ],
  [
    'v1',
    {
      name: 'endpoints',
      singularName: 'endpoints',
      namespaced: true,
      kind: 'Endpoints',
      verbs: allVerbs,
      shortNames: ['ep'],
    },
  ],
  [
    'v1',
    {
      name: 'serviceaccounts/token',
      singularName: '',
      namespaced: true,
      group: 'authentication.k8s.io',
      version: 'v1',
      kind: 'TokenRequest',
      verbs: ['create'],
    },
  ],
  [
    'batch/v1',
    { name: 'jobs', singularName: 'job', namespaced: true, kind: 'Job', verbs: allVerbs, categories: ['all'] },
  ],
  ['batch/v1', { name: 'jobs/status', singularName: '', namespaced: true, kind: 'Job', verbs: statusVerbs }],
  [
    'networking.k8s.io/v1',
    {
      name: 'ingresses',
      singularName: 'ingress',
      namespaced: true,
      kind: 'Ingress',
      verbs: allVerbs,
      shortNames: ['ing'],
    },
  ],
  [
    'networking.k8s.io/v1',
    {
      name: 'networkpolicies',
      singularName: 'networkpolicy',
      namespaced: true,
      kind: 'NetworkPolicy',
      verbs: allVerbs,
      shortNames: ['netpol'],
    },
  ],
  [
    'policy/v1',
    {
      name: 'poddisruptionbudgets',
      singularName: 'poddisruptionbudget',
      namespaced: true,
      kind: 'PodDisruptionBudget',
      verbs: allVerbs,
      shortNames: ['pdb'],
    },
  ],
  [
    'coordination.k8s.io/v1',
    { name: 'leases', singularName: 'lease', namespaced: true, kind: 'Lease', verbs: allVerbs },
  ],
  [
    'discovery.k8s.io/v1',
    { name: 'endpointslices', singularName: 'endpointslice', namespaced: true, kind: 'EndpointSlice', verbs: allVerbs },
  ],
  [
    'events.k8s.io/v1',
    { name: 'events', singularName: 'event', namespaced: true, kind: 'Event', verbs: allVerbs, shortNames: ['ev'] },
  ],
  [
    'rbac.authorization.k8s.io/v1',
    { name: 'clusterroles', singularName: 'clusterrole', namespaced: false, kind: 'ClusterRole', verbs: allVerbs },
  ],
  [
    'authorization.k8s.io/v1',
    {
      name: 'selfsubjectaccessreviews',
      singularName: 'selfsubjectaccessreview',
      namespaced: false,
      kind: 'SelfSubjectAccessReview',
      verbs: ['create'],
    },
  ],
  [
    'apiextensions.k8s.io/v1',
    {
      name: 'customresourcedefinitions',
      singularName: 'customresourcedefinition',
      namespaced: false,
      kind: 'CustomResourceDefinition',
      verbs: allVerbs,
      shortNames: ['crd', 'crds'],
      categories: ['api-extensions'],
    },
  ],
];

export const cases: readonly Case[] = [
  {
    title: '/api names v1 as the only core version',
    run: async (t) => {
      const answer = await t.must('GET', '/api');
      expect(answer).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
      expect(answer).toHaveProperty('serverAddressByClientCIDRs');
    },
  },
  {
    title: '/apis lists the groups with their preferred versions',
    run: async (t) => {
      const answer = await t.must('GET', '/apis');
      expect(answer).toMatchObject({ kind: 'APIGroupList', apiVersion: 'v1' });
      const groups = answer['groups'] as { name: string }[];
      for (const name of ['batch', 'policy', 'events.k8s.io', 'networking.k8s.io', 'apiextensions.k8s.io'])
        expect(groups.find((group) => group.name === name)).toMatchObject({
          name,
          preferredVersion: { groupVersion: `${name}/v1`, version: 'v1' },
        });
    },
  },
  {
    title: 'a group answers its versions',
    run: async (t) =>
      expect(await t.must('GET', '/apis/batch')).toEqual({
        kind: 'APIGroup',
        apiVersion: 'v1',
        name: 'batch',
        versions: [{ groupVersion: 'batch/v1', version: 'v1' }],
        preferredVersion: { groupVersion: 'batch/v1', version: 'v1' },
      }),
  },
  {
    title: 'a version answers an APIResourceList of its group version',
    run: async (t) => {
      expect(await t.must('GET', '/api/v1')).toMatchObject({ kind: 'APIResourceList', groupVersion: 'v1' });
      expect(await t.must('GET', '/apis/batch/v1')).toMatchObject({
        kind: 'APIResourceList',
        apiVersion: 'v1',
        groupVersion: 'batch/v1',
      });
    },
  },
  ...served.map(([groupVersion, resource]) => ({
    title: `${groupVersion} serves ${resource.name} with the scope, verbs and names that clients rely on`,
    run: async (t: Target) => expect(await resourceNamed(t, groupVersion, resource.name)).toEqual(resource),
  })),
  {
    title: 'a group that is not served is not found',
    run: async (t) => {
      const answer = await t.request('GET', '/apis/nobody.example.com/v1');
      expect(answer.status).toBe(404);
      expect(answer.text).toBe('404 page not found\n');
    },
  },
  {
    title: 'a resource that a served version does not have is not found',
    run: async (t) => {
      const answer = await t.request('GET', '/apis/batch/v1/namespaces/default/nothings');
      expectRefusal(answer, {
        code: 404,
        reason: 'NotFound',
        message: 'the server could not find the requested resource',
        details: {},
      });
    },
  },
  {
    title: 'aggregated discovery of /api answers all resources of v1 in one document',
    run: async (t) => {
      const answer = await t.request('GET', '/api', undefined, { accept: aggregatedType });
      expect(answer.headers['content-type']).toBe(
        'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
      );
      expect(answer.body).toMatchObject({
        kind: 'APIGroupDiscoveryList',
        apiVersion: 'apidiscovery.k8s.io/v2',
        items: [{ versions: [{ version: 'v1', freshness: 'Current' }] }],
      });
      const [group] = (answer.body as { items: { versions: { resources: Fields[] }[] }[] }).items;
      const pods = group?.versions[0]?.resources.find((resource) => resource['resource'] === 'pods');
      expect(pods).toMatchObject({
        resource: 'pods',
        responseKind: { group: '', version: '', kind: 'Pod' },
        scope: 'Namespaced',
        singularResource: 'pod',
        verbs: allVerbs,
        shortNames: ['po'],
        categories: ['all'],
      });
      expect(pods?.['subresources']).toContainEqual({
        subresource: 'status',
        responseKind: { group: '', version: '', kind: 'Pod' },
        verbs: statusVerbs,
      });
    },
  },
  {
    title: 'aggregated discovery of /apis answers the resources of every group',
    run: async (t) => {
      const answer = await t.request('GET', '/apis', undefined, { accept: aggregatedType });
      const items = (answer.body as { items: { metadata: { name: string }; versions: Fields[] }[] }).items;
      const batch = items.find((group) => group.metadata.name === 'batch');
      expect(batch?.versions[0]).toMatchObject({ version: 'v1', freshness: 'Current' });
      expect(JSON.stringify(batch)).toContain('"resource":"jobs"');
    },
  },
  {
    title: 'aggregated discovery carries an entity tag, and answers 304 to who knows it',
    run: async (t) => {
      const first = await t.request('GET', '/api', undefined, { accept: aggregatedType });
      const etag = first.headers['etag'];
      expect(etag).toMatch(/^"[0-9A-F]+"$/);
      const second = await t.request('GET', '/api', undefined, {
        accept: aggregatedType,
        'if-none-match': String(etag),
      });
      expect(second.status).toBe(304);
      expect(second.text).toBe('');
    },
  },
  {
    title: 'plain JSON is what discovery answers to who asks for plain JSON',
    run: async (t) => {
      const answer = await t.request('GET', '/apis', undefined, { accept: 'application/json' });
      expect(answer.headers['content-type']).toBe('application/json');
      expect(answer.body).toMatchObject({ kind: 'APIGroupList' });
    },
  },
];
