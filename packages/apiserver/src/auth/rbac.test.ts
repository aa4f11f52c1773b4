import { beforeEach, describe, expect, it } from 'vitest';
import type { ResourceName } from '../object/resource-info.ts';
import type { Store } from '../store/contract.ts';
import { createStore } from '../store/store.ts';
import type { Authorizer } from './authorizer.ts';
import { rbacAuthorizer } from './rbac.ts';

const RBAC = 'rbac.authorization.k8s.io';
let store: Store;
let authorizer: Authorizer;

const put = (resource: ResourceName, namespace: string, name: string, body: object) =>
  store.create({ resource, namespace, name }, { metadata: { name, namespace }, ...body } as never);
const may = (name: string, verb: string, plural: string, namespace = '', more: object = {}) =>
  authorizer.authorize({
    user: { name, groups: ['team'] },
    verb,
    path: '',
    resource: { group: '', version: 'v1', plural, subresource: '', namespace, name: '', ...more },
  });

beforeEach(() => {
  store = createStore();
  authorizer = rbacAuthorizer(store);
  put(`${RBAC}/roles`, 'a', 'reader', {
    rules: [
      { verbs: ['get'], apiGroups: [''], resources: ['pods', 'pods/log'] },
      { verbs: ['update'], apiGroups: [''], resources: ['*/status'], resourceNames: ['x'] },
    ],
  });
  put(`${RBAC}/rolebindings`, 'a', 'readers', {
    roleRef: { kind: 'Role', name: 'reader' },
    subjects: [{ kind: 'User', name: 'ann' }],
  });
  put(`${RBAC}/clusterroles`, '', 'lister', {
    rules: [
      { verbs: ['list'], apiGroups: ['*'], resources: ['*'] },
      { verbs: ['get'], nonResourceURLs: ['/metrics/*'] },
    ],
  });
  put(`${RBAC}/clusterrolebindings`, '', 'listers', {
    roleRef: { kind: 'ClusterRole', name: 'lister' },
    subjects: [
      { kind: 'ServiceAccount', namespace: 'a', name: 'bot' },
      { kind: 'Group', name: 'admins' },
    ],
  });
});

describe('roles and bindings', () => {
  it('allow what a role in a namespace says, there and nowhere else', () => {
    expect(may('ann', 'get', 'pods', 'a')).toEqual({
      isAllowed: true,
      reason: 'RBAC: allowed by RoleBinding "readers/a" of Role "reader" to User "ann"',
    });
    expect(may('ann', 'get', 'pods', 'b').isAllowed).toBe(false);
    expect(may('ann', 'get', 'pods').isAllowed).toBe(false);
    expect(may('ann', 'delete', 'pods', 'a').isAllowed).toBe(false);
    expect(may('bob', 'get', 'pods', 'a').isAllowed).toBe(false);
  });

  it('name subresources and objects one by one', () => {
    expect(may('ann', 'get', 'pods', 'a', { subresource: 'log' }).isAllowed).toBe(true);
    expect(may('ann', 'get', 'pods', 'a', { subresource: 'exec' }).isAllowed).toBe(false);
    expect(may('ann', 'update', 'pods', 'a', { subresource: 'status', name: 'x' }).isAllowed).toBe(true);
    expect(may('ann', 'update', 'pods', 'a', { subresource: 'status', name: 'y' }).isAllowed).toBe(false);
  });

  it('reach service accounts everywhere when bound to a cluster role, for paths too', () => {
    const bot = 'system:serviceaccount:a:bot';
    expect(may(bot, 'list', 'secrets', 'b').isAllowed).toBe(true);
    const user = { name: bot, groups: [] };
    expect(authorizer.authorize({ user, verb: 'get', path: '/metrics/slis' }).isAllowed).toBe(true);
    expect(authorizer.authorize({ user, verb: 'get', path: '/healthz' }).isAllowed).toBe(false);
  });

  it('do not bind the masters', () => {
    const user = { name: 'root', groups: ['system:masters'] };
    expect(authorizer.authorize({ user, verb: 'delete', path: '/anything' }).isAllowed).toBe(true);
  });

  it('count from the moment they are written', () => {
    store.delete({ resource: `${RBAC}/rolebindings`, namespace: 'a', name: 'readers' });
    expect(may('ann', 'get', 'pods', 'a').isAllowed).toBe(false);
  });
});
