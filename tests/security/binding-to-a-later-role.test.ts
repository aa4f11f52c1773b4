import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, allow, startApiServer, statusOf } from './support/api-server.ts';

const group = 'rbac.authorization.k8s.io';
const rbac = `/apis/${group}/v1`;

let server: ApiServer;

beforeAll(async () => {
  server = await startApiServer();
  const rules = { apiGroups: [group], resources: ['rolebindings', 'clusterrolebindings'], verbs: ['*'] };
  await allow(server, 'mallory', rules);
});

afterAll(() => server.stop());

const binding = (kind: string, name: string) => ({
  metadata: { name: 'mine' },
  roleRef: { apiGroup: group, kind, name },
  subjects: [{ apiGroup: group, kind: 'User', name: 'mallory' }],
});

describe('binding to a role that does not exist yet', () => {
  it.each([
    ['rolebindings', `${rbac}/namespaces/default/rolebindings`, 'Role'],
    ['rolebindings', `${rbac}/namespaces/default/rolebindings`, 'ClusterRole'],
    ['clusterrolebindings', `${rbac}/clusterrolebindings`, 'ClusterRole'],
  ])('is refused as not found: %s at %s to a %s', async (plural, path, kind) => {
    const answer = await server.as('mallory')('POST', path, binding(kind, 'later'));
    expect(answer.status).toBe(404);
    expect(statusOf(answer).message).toBe(`${plural}.${group} "later" not found`);
  });

  it('gives no permission once the role exists', async () => {
    const mallory = server.as('mallory');
    await mallory('POST', `${rbac}/namespaces/default/rolebindings`, binding('Role', 'later'));
    await server.admin('POST', `${rbac}/namespaces/default/roles`, {
      metadata: { name: 'later' },
      rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['*'] }],
    });
    expect((await mallory('GET', '/api/v1/namespaces/default/secrets')).status).toBe(403);
  });

  it('stays possible for a user who may bind any role', async () => {
    const answer = await server.admin('POST', `${rbac}/namespaces/default/rolebindings`, binding('Role', 'even-later'));
    expect(answer.status).toBe(201);
  });
});
