import { eventually, eventuallyHolds } from '../support/eventually.ts';
import { expect } from '../support/expect.ts';
import { expectRefusal } from '../support/expect-status.ts';
import { configMaps } from '../support/paths.ts';
import { allowed, permit, permitEverywhere } from '../support/rbac.ts';
import type { Case, Fields, KubeObject, Target } from '../support/target.ts';

const authorization = '/apis/authorization.k8s.io/v1';
const authentication = '/apis/authentication.k8s.io/v1';
const reader = { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] };
const someone = (t: Target) => ({ name: t.unique('user') });

const selfReview = (t: Target, attributes: Fields) =>
  t.must('POST', `${authorization}/selfsubjectaccessreviews`, { spec: attributes });
const mayList = (namespace: string) => ({ resourceAttributes: { namespace, verb: 'list', resource: 'configmaps' } });

/** Asks until the permission has arrived. */
const permitted = (review: () => Promise<KubeObject>) =>
  eventually('a permission', async () => {
    const answer = await review();
    return answer.status['allowed'] === true ? answer : undefined;
  });

export const cases: readonly Case[] = [
  {
    title: 'everybody may ask what he may do, and hears no where nothing permits it',
    run: async (t) => {
      const answer = await t
        .as(someone(t))
        .request('POST', `${authorization}/selfsubjectaccessreviews`, { spec: mayList('default') });
      expect(answer.status).toBe(201);
      expect(answer.body).toMatchObject({ kind: 'SelfSubjectAccessReview', status: { allowed: false } });
    },
  },
  {
    title: 'a yes names the binding that gives it',
    run: async (t) => {
      const namespace = await t.namespace();
      const name = someone(t);
      const user = await permit(t, namespace, name, reader);
      const { status } = await permitted(() => selfReview(user, mayList(namespace)));
      expect(status['reason']).toMatch(
        new RegExp(
          `^RBAC: allowed by RoleBinding "role-\\w+/${namespace}" of Role "role-\\w+" to User "${name.name}"$`,
        ),
      );
    },
  },
  {
    title: 'masters may do everything',
    run: async (t) => {
      const { status } = await selfReview(t, { resourceAttributes: { verb: '*', resource: '*', group: '*' } });
      expect(status).toMatchObject({ allowed: true });
    },
  },
  {
    title: 'a review of a path outside of the API answers likewise',
    run: async (t) => {
      const user = await permitEverywhere(t, someone(t), { nonResourceURLs: ['/metrics'], verbs: ['get'] });
      await permitted(() => selfReview(user, { nonResourceAttributes: { path: '/metrics', verb: 'get' } }));
      const other = await selfReview(user, { nonResourceAttributes: { path: '/metrics', verb: 'post' } });
      expect(other.status).toMatchObject({ allowed: false });
    },
  },
  {
    title: 'a review of nothing is refused',
    run: async (t) =>
      expectRefusal(await t.request('POST', `${authorization}/selfsubjectaccessreviews`, { spec: {} }), {
        code: 422,
        reason: 'Invalid',
        message: /exactly one of nonResourceAttributes or resourceAttributes must be specified/,
      }),
  },
  {
    title: 'the rights of another user may be asked for by who is allowed to',
    run: async (t) => {
      const namespace = await t.namespace();
      const name = someone(t);
      await permit(t, namespace, name, reader);
      const spec = { user: name.name, ...mayList(namespace) };
      await permitted(() => t.must('POST', `${authorization}/subjectaccessreviews`, { spec }));
      expectRefusal(await t.as(someone(t)).request('POST', `${authorization}/subjectaccessreviews`, { spec }), {
        code: 403,
      });
    },
  },
  {
    title: 'a review in a namespace must be about that namespace',
    run: async (t) => {
      const namespace = await t.namespace();
      const path = `${authorization}/namespaces/${namespace}/localsubjectaccessreviews`;
      const spec = { user: 'u', ...mayList('default') };
      expectRefusal(await t.request('POST', path, { metadata: { namespace }, spec }), {
        code: 422,
        reason: 'Invalid',
        message:
          '.authorization.k8s.io "" is invalid: spec.resourceAttributes.namespace: Invalid value: "default": must match metadata.namespace',
      });
      const fine = await t.must('POST', path, { metadata: { namespace }, spec: { user: 'u', ...mayList(namespace) } });
      expect(fine.status).toMatchObject({ allowed: false });
    },
  },
  {
    title: 'the list of rules holds what bindings give',
    run: async (t) => {
      const namespace = await t.namespace();
      const user = await permit(t, namespace, someone(t), reader);
      await allowed(user, 'GET', configMaps(namespace));
      const { status } = await user.must('POST', `${authorization}/selfsubjectrulesreviews`, { spec: { namespace } });
      expect(status['incomplete']).toBe(false);
      expect(status['resourceRules']).toContainEqual(reader);
      const urls = status['nonResourceRules'] as { nonResourceURLs: string[] }[];
      expect(urls.flatMap((rule) => rule.nonResourceURLs)).toContain('/healthz');
    },
  },
  {
    title: 'a user can ask who he is',
    run: async (t) => {
      const name = t.unique('user');
      const { status } = await t.as({ name, groups: ['dev'] }).must('POST', `${authentication}/selfsubjectreviews`, {});
      expect(status['userInfo']).toMatchObject({ username: name, groups: ['dev', 'system:authenticated'] });
    },
  },
  {
    title: 'a user may act for another with permission to do so',
    run: async (t) => {
      const other = t.unique('other');
      const name = someone(t);
      const headers = { 'impersonate-user': other };
      const refused = await t.as(name).request('POST', `${authentication}/selfsubjectreviews`, {}, headers);
      expectRefusal(refused, {
        code: 403,
        message: `selfsubjectreviews.authentication.k8s.io is forbidden: User "${name.name}" cannot impersonate-on:user-info:create resource "selfsubjectreviews" in API group "authentication.k8s.io" at the cluster scope`,
      });
      const user = await permitEverywhere(t, name, { apiGroups: [''], resources: ['users'], verbs: ['impersonate'] });
      await eventuallyHolds(async () => {
        const { status } = await user.must('POST', `${authentication}/selfsubjectreviews`, {}, headers);
        expect(status['userInfo']).toMatchObject({ username: other, groups: ['system:authenticated'] });
      });
    },
  },
  {
    title: 'groups may be taken on with the user, and count for permissions',
    run: async (t) => {
      const headers = { 'impersonate-user': 'u', 'impersonate-group': 'system:masters' };
      const { status } = await t.must('POST', `${authentication}/selfsubjectreviews`, {}, headers);
      expect(status['userInfo']).toMatchObject({ username: 'u', groups: ['system:masters', 'system:authenticated'] });
      expect((await t.request('GET', '/api/v1/secrets', undefined, headers)).status).toBe(200);
      expectRefusal(await t.request('GET', '/api/v1/secrets', undefined, { 'impersonate-user': 'u' }), {
        code: 403,
        message: 'secrets is forbidden: User "u" cannot list resource "secrets" in API group "" at the cluster scope',
      });
    },
  },
  {
    title: 'a service account may be taken on, with its groups',
    run: async (t) => {
      const namespace = await t.namespace();
      const headers = { 'impersonate-user': `system:serviceaccount:${namespace}:default` };
      const { status } = await t.must('POST', `${authentication}/selfsubjectreviews`, {}, headers);
      expect(status['userInfo']).toMatchObject({
        username: `system:serviceaccount:${namespace}:default`,
        groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
      });
    },
  },
  ...[
    'x:serviceaccount:kube-system',
    'system:serviceaccount:kube-system',
    'system:serviceaccount:kube-system:',
    'system:serviceaccount:kube-system:a:b',
    'system:serviceaccounts',
    'system:masters',
  ].map(
    (name): Case => ({
      title: `the user ${name} may be taken on, and gets no group by his name`,
      run: async (t) => {
        const headers = { 'impersonate-user': name };
        const { status } = await t.must('POST', `${authentication}/selfsubjectreviews`, {}, headers);
        expect(status['userInfo']).toEqual({ username: name, groups: ['system:authenticated'] });
      },
    }),
  ),
  {
    title: 'a service account that is taken on with groups has no others',
    run: async (t) => {
      const headers = { 'impersonate-user': 'system:serviceaccount:default:default', 'impersonate-group': 'a,b' };
      const { status } = await t.must('POST', `${authentication}/selfsubjectreviews`, {}, headers);
      expect(status['userInfo']).toMatchObject({ groups: ['a,b', 'system:authenticated'] });
    },
  },
  {
    title: 'a UID and extra values may be taken on with permissions of their own only',
    run: async (t) => {
      const name = someone(t);
      const path = `${authentication}/selfsubjectreviews`;
      const headers = { 'impersonate-user': t.unique('other') };
      const user = await permitEverywhere(t, name, { apiGroups: [''], resources: ['users'], verbs: ['impersonate'] });
      await eventuallyHolds(async () => {
        await user.must('POST', path, {}, headers);
      });
      expectRefusal(await user.request('POST', path, {}, { ...headers, 'impersonate-uid': '1' }), { code: 403 });
      const extra = { ...headers, 'impersonate-extra-scopes': 'all' };
      expectRefusal(await user.request('POST', path, {}, extra), { code: 403 });
      await permitEverywhere(t, name, {
        apiGroups: ['authentication.k8s.io'],
        resources: ['uids', 'userextras/scopes'],
        verbs: ['impersonate'],
      });
      await eventuallyHolds(async () => {
        const { status } = await user.must('POST', path, {}, { ...extra, 'impersonate-uid': '1' });
        expect(status['userInfo']).toMatchObject({ uid: '1', extra: { scopes: ['all'] } });
      });
    },
  },
  {
    title: 'groups without a user are refused',
    run: async (t) => {
      const answer = await t.request('GET', '/api/v1/namespaces', undefined, { 'impersonate-group': 'g' });
      expect(answer.status).toBe(400);
      expect(answer.text).toMatch(/without impersonating a user/);
    },
  },
];
