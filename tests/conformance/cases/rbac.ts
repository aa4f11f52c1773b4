import { eventuallyHolds } from '../support/eventually.ts';
import { expect } from '../support/expect.ts';
import { expectRefusal } from '../support/expect-status.ts';
import { configMap, patchType, pod } from '../support/objects.ts';
import { configMaps, core, grouped, pods } from '../support/paths.ts';
import { allowed, permit, permitEverywhere } from '../support/rbac.ts';
import type { Case, Target } from '../support/target.ts';

const rbac = 'rbac.authorization.k8s.io/v1';
const reader = { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] };
const someone = (t: Target) => ({ name: t.unique('user') });

type Attempt = readonly [method: string, path: (namespace: string) => string, what: string];

const attempts: Readonly<Record<string, Attempt>> = {
  'to read': [
    'GET',
    (ns) => configMaps(ns, 'x'),
    'cannot get resource "configmaps" in API group "" in the namespace "NS"',
  ],
  'to list': ['GET', configMaps, 'cannot list resource "configmaps" in API group "" in the namespace "NS"'],
  'to watch': [
    'GET',
    (ns) => `${configMaps(ns)}?watch=1`,
    'cannot watch resource "configmaps" in API group "" in the namespace "NS"',
  ],
  'to create': ['POST', configMaps, 'cannot create resource "configmaps" in API group "" in the namespace "NS"'],
  'to update': [
    'PUT',
    (ns) => configMaps(ns, 'x'),
    'cannot update resource "configmaps" in API group "" in the namespace "NS"',
  ],
  'to patch': [
    'PATCH',
    (ns) => configMaps(ns, 'x'),
    'cannot patch resource "configmaps" in API group "" in the namespace "NS"',
  ],
  'to delete': [
    'DELETE',
    (ns) => configMaps(ns, 'x'),
    'cannot delete resource "configmaps" in API group "" in the namespace "NS"',
  ],
  'to delete a collection': [
    'DELETE',
    configMaps,
    'cannot deletecollection resource "configmaps" in API group "" in the namespace "NS"',
  ],
  'to list everywhere': [
    'GET',
    () => '/api/v1/configmaps',
    'cannot list resource "configmaps" in API group "" at the cluster scope',
  ],
  'to read a cluster object': [
    'GET',
    () => '/api/v1/nodes/x',
    'cannot get resource "nodes" in API group "" at the cluster scope',
  ],
  'to write a subresource': [
    'PUT',
    (ns) => `${pods(ns, 'x')}/status`,
    'cannot update resource "pods/status" in API group "" in the namespace "NS"',
  ],
  'of a kind in a group': [
    'GET',
    (ns) => grouped('batch/v1', ns, 'jobs'),
    'cannot list resource "jobs" in API group "batch" in the namespace "NS"',
  ],
};

const resourceOf = (what: string) => {
  const [, resource = '', group = ''] = /resource "([^"]+)" in API group "([^"]*)"/.exec(what) ?? [];
  return { resource: resource.split('/')[0] ?? '', group };
};

export const cases: readonly Case[] = [
  ...Object.entries(attempts).map(
    ([title, [method, path, what]]): Case => ({
      title: `a user without permission ${title} is told what is missing`,
      run: async (t) => {
        const user = someone(t);
        const namespace = await t.namespace();
        const target = path(namespace);
        const body = ['POST', 'PUT', 'PATCH'].includes(method) ? configMap('x') : undefined;
        const answer = await t.as(user).request(method, target, body, method === 'PATCH' ? patchType.merge : {});
        const { resource, group } = resourceOf(what);
        const name = /\/x(\/status)?$/.test(target) ? ' "x"' : '';
        const subject = group === '' ? resource : `${resource}.${group}`;
        expectRefusal(answer, {
          code: 403,
          reason: 'Forbidden',
          message: `${subject}${name} is forbidden: User "${user.name}" ${what.replace('NS', namespace)}`,
        });
      },
    }),
  ),
  {
    title: 'a path outside of the API is forbidden by its own words',
    run: async (t) => {
      const user = someone(t);
      expectRefusal(await t.as(user).request('GET', '/metrics'), {
        code: 403,
        reason: 'Forbidden',
        message: `forbidden: User "${user.name}" cannot get path "/metrics"`,
      });
    },
  },
  {
    title: 'a role lets its user do what it says, and nothing else, in its namespace',
    run: async (t) => {
      const [here, there] = [await t.namespace(), await t.namespace()];
      const user = await permit(t, here, someone(t), reader);
      expect(await allowed(user, 'GET', configMaps(here))).toBe(200);
      expectRefusal(await user.request('GET', configMaps(there)), { code: 403 });
      expectRefusal(await user.request('POST', configMaps(here), configMap('x')), { code: 403 });
      expectRefusal(await user.request('GET', core(here, 'secrets')), { code: 403 });
    },
  },
  {
    title: 'a cluster role that is bound in a namespace counts there only',
    run: async (t) => {
      const [here, there] = [await t.namespace(), await t.namespace()];
      const user = someone(t);
      const name = t.unique('role');
      await t.must('POST', `/apis/${rbac}/clusterroles`, { metadata: { name }, rules: [reader] });
      await t.must('POST', grouped(rbac, here, 'rolebindings'), {
        metadata: { name },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user.name }],
      });
      expect(await allowed(t.as(user), 'GET', configMaps(here))).toBe(200);
      expectRefusal(await t.as(user).request('GET', configMaps(there)), { code: 403 });
    },
  },
  {
    title: 'a cluster role that is bound in the cluster counts everywhere',
    run: async (t) => {
      const user = await permitEverywhere(t, someone(t), reader);
      expect(await allowed(user, 'GET', '/api/v1/configmaps')).toBe(200);
      expect(await allowed(user, 'GET', configMaps(await t.namespace()))).toBe(200);
    },
  },
  {
    title: 'permissions of several bindings add up',
    run: async (t) => {
      const namespace = await t.namespace();
      const user = someone(t);
      await permit(t, namespace, user, reader);
      await permit(t, namespace, user, { apiGroups: [''], resources: ['secrets'], verbs: ['list'] });
      expect(await allowed(t.as(user), 'GET', configMaps(namespace))).toBe(200);
      expect(await allowed(t.as(user), 'GET', core(namespace, 'secrets'))).toBe(200);
    },
  },
  {
    title: 'a permission for some names does not reach others, nor lists',
    run: async (t) => {
      const namespace = await t.namespace();
      for (const name of ['a', 'b']) await t.must('POST', configMaps(namespace), configMap(name));
      const user = await permit(t, namespace, someone(t), { ...reader, resourceNames: ['a'] });
      expect(await allowed(user, 'GET', configMaps(namespace, 'a'))).toBe(200);
      expectRefusal(await user.request('GET', configMaps(namespace, 'b')), { code: 403 });
      expectRefusal(await user.request('GET', configMaps(namespace)), { code: 403 });
      expect((await user.request('GET', `${configMaps(namespace)}?fieldSelector=metadata.name%3Da`)).status).toBe(200);
    },
  },
  {
    title: 'a permission for a kind does not reach its subresources, nor the other way round',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', pods(namespace), pod('p'));
      const user = await permit(t, namespace, someone(t), {
        apiGroups: [''],
        resources: ['pods/status'],
        verbs: ['get'],
      });
      expect(await allowed(user, 'GET', `${pods(namespace, 'p')}/status`)).toBe(200);
      expectRefusal(await user.request('GET', pods(namespace, 'p')), { code: 403 });
    },
  },
  {
    title: 'stars stand for all groups, kinds and verbs',
    run: async (t) => {
      const namespace = await t.namespace();
      const user = await permit(t, namespace, someone(t), { apiGroups: ['*'], resources: ['*'], verbs: ['*'] });
      expect(await allowed(user, 'POST', configMaps(namespace), configMap('x'))).toBe(201);
      expect(await allowed(user, 'GET', grouped('batch/v1', namespace, 'jobs'))).toBe(200);
    },
  },
  {
    title: 'paths outside of the API are permitted by prefix',
    run: async (t) => {
      const user = await permitEverywhere(t, someone(t), { nonResourceURLs: ['/metrics', '/debug/*'], verbs: ['get'] });
      expect(await allowed(user, 'GET', '/metrics')).not.toBe(403);
      expect((await user.request('GET', '/debug/nothing')).status).not.toBe(403);
      expectRefusal(await user.request('GET', '/logs/'), { code: 403 });
    },
  },
  {
    title: 'groups of a certificate are subjects, too',
    run: async (t) => {
      const namespace = await t.namespace();
      const group = t.unique('group');
      const name = t.unique('role');
      await t.must('POST', grouped(rbac, namespace, 'roles'), { metadata: { name }, rules: [reader] });
      await t.must('POST', grouped(rbac, namespace, 'rolebindings'), {
        metadata: { name },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: group }],
      });
      expect(await allowed(t.as({ name: t.unique('user'), groups: [group] }), 'GET', configMaps(namespace))).toBe(200);
    },
  },
  {
    title: 'a permission that is taken away is gone',
    run: async (t) => {
      const namespace = await t.namespace();
      const user = await permit(t, namespace, someone(t), reader);
      await allowed(user, 'GET', configMaps(namespace));
      await t.must('DELETE', grouped(rbac, namespace, 'rolebindings'));
      await eventuallyHolds(async () => expectRefusal(await user.request('GET', configMaps(namespace)), { code: 403 }));
    },
  },
  {
    title: 'nobody may grant what he does not have himself',
    run: async (t) => {
      const namespace = await t.namespace();
      const name = someone(t);
      const user = await permit(t, namespace, name, {
        apiGroups: ['rbac.authorization.k8s.io'],
        resources: ['roles'],
        verbs: ['create'],
      });
      const path = grouped(rbac, namespace, 'roles');
      await allowed(user, 'POST', path, { metadata: { name: 'empty' } });
      expectRefusal(await user.request('POST', path, { metadata: { name: 'more' }, rules: [reader] }), {
        code: 403,
        reason: 'Forbidden',
        message: new RegExp(
          `^roles\\.rbac\\.authorization\\.k8s\\.io "more" is forbidden: user "${name.name}" \\(groups=\\["system:authenticated"\\]\\) is attempting to grant RBAC permissions not currently held:\\n\\{APIGroups:\\[""\\], Resources:\\["configmaps"\\], Verbs:\\["get" "list"\\]\\}$`,
        ),
      });
    },
  },
  ...(
    [
      ['rolebindings', 'Role'],
      ['rolebindings', 'ClusterRole'],
      ['clusterrolebindings', 'ClusterRole'],
    ] as const
  ).map(
    ([plural, kind]): Case => ({
      title: `a user who may not bind roles gets not found for ${plural} to a missing ${kind}`,
      run: async (t) => {
        const namespace = await t.namespace();
        const rule = { apiGroups: ['rbac.authorization.k8s.io'], resources: [plural], verbs: ['create', 'list'] };
        const user = await permitEverywhere(t, someone(t), rule);
        const path =
          plural === 'rolebindings' ? grouped(rbac, namespace, plural) : `/apis/rbac.authorization.k8s.io/v1/${plural}`;
        expect(await allowed(user, 'GET', path)).toBe(200);
        const name = t.unique('later');
        const binding = {
          metadata: { name: t.unique('binding') },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
          subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'x' }],
        };
        expectRefusal(await user.request('POST', path, binding), {
          code: 404,
          reason: 'NotFound',
          message: `${plural}.rbac.authorization.k8s.io "${name}" not found`,
          details: { name, group: 'rbac.authorization.k8s.io', kind: plural },
        });
        expect((await t.request('POST', path, binding)).status).toBe(201);
      },
    }),
  ),
  {
    title: 'the role of a binding cannot be exchanged',
    run: async (t) => {
      const path = grouped(rbac, await t.namespace(), 'rolebindings');
      const binding = {
        metadata: { name: 'x' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'a' },
      };
      await t.must('POST', path, binding);
      const answer = await t.request('PUT', `${path}/x`, { ...binding, roleRef: { ...binding.roleRef, name: 'b' } });
      expectRefusal(answer, { code: 422, message: /roleRef: Invalid value: .*: cannot change roleRef$/ });
    },
  },
  {
    title: 'anonymous requests are of system:anonymous, and forbidden',
    run: async (t) =>
      expectRefusal(await t.anonymous().request('GET', '/api/v1/namespaces/default/pods'), {
        code: 403,
        message:
          'pods is forbidden: User "system:anonymous" cannot list resource "pods" in API group "" in the namespace "default"',
      }),
  },
  {
    title: 'a token that nobody knows is unauthorized',
    run: async (t) =>
      expectRefusal(await t.withToken('nonsense').request('GET', '/api/v1/namespaces'), {
        code: 401,
        reason: 'Unauthorized',
        message: 'Unauthorized',
      }),
  },
  {
    title: 'everybody who is known may read discovery',
    run: async (t) => {
      const user = t.as(someone(t));
      for (const path of ['/api', '/api/v1', '/apis', '/apis/batch/v1', '/openapi/v3', '/version'])
        expect([path, (await user.request('GET', path)).status]).toEqual([path, 200]);
    },
  },
];
