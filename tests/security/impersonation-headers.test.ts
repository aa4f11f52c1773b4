import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, allow, startApiServer, statusOf } from './support/api-server.ts';

const whoAmI = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

let server: ApiServer;

beforeAll(async () => {
  server = await startApiServer();
  await allow(server, 'mallory', { apiGroups: [''], resources: ['users'], verbs: ['impersonate'] });
});

afterAll(() => server.stop());

const groupsOf = async (headers: Readonly<Record<string, string>>, user = server.admin) => {
  const answer = await user('POST', whoAmI, {}, headers);
  return (answer.body as { status?: { userInfo?: { groups?: readonly string[] } } }).status?.userInfo?.groups;
};

describe('impersonation headers', () => {
  it.each(['%zz', '%', 'a%f', '%c3%28'])('answer 400 to the malformed extra key "%s"', async (key) => {
    const headers = { 'impersonate-user': 'u', [`impersonate-extra-${key}`]: 'x' };
    const answer = await server.admin('POST', whoAmI, {}, headers);
    expect(answer.status).toBe(400);
    expect(statusOf(answer).message).toContain(`impersonate-extra-${key}`);
    expect(server.engine.internalErrors).toEqual([]);
  });

  it.each([
    ['a UID', { 'impersonate-uid': '1' }],
    ['an extra value', { 'impersonate-extra-scopes': 'all' }],
    ['a group', { 'impersonate-group': 'system:masters' }],
  ])('need permission of their own for %s', async (_what, headers) => {
    const mallory = server.as('mallory');
    expect((await mallory('POST', whoAmI, {}, { 'impersonate-user': 'u' })).status).toBe(201);
    const answer = await mallory('POST', whoAmI, {}, { 'impersonate-user': 'u', ...headers });
    expect(answer.status).toBe(403);
  });

  it('accept a UID and extra values that RBAC allows', async () => {
    await allow(
      server,
      'trusted',
      { apiGroups: [''], resources: ['users'], verbs: ['impersonate'] },
      { apiGroups: ['authentication.k8s.io'], resources: ['uids'], resourceNames: ['1'], verbs: ['impersonate'] },
      { apiGroups: ['authentication.k8s.io'], resources: ['userextras/scopes'], verbs: ['impersonate'] },
    );
    const trusted = server.as('trusted');
    const headers = { 'impersonate-user': 'u', 'impersonate-uid': '1', 'impersonate-extra-scopes': 'all' };
    const answer = await trusted('POST', whoAmI, {}, headers);
    expect(answer.body).toMatchObject({ status: { userInfo: { uid: '1', extra: { scopes: ['all'] } } } });
    expect((await trusted('POST', whoAmI, {}, { ...headers, 'impersonate-uid': '2' })).status).toBe(403);
    expect((await trusted('POST', whoAmI, {}, { ...headers, 'impersonate-extra-other': 'x' })).status).toBe(403);
  });

  it.each([
    'x:serviceaccount:kube-system',
    'system:serviceaccount:kube-system',
    'system:serviceaccount:kube-system:',
    'system:serviceaccount:kube-system:a:b',
    'system:serviceaccount:Kube-System:a',
    'system:masters',
    'system:serviceaccounts',
    'system:node:n',
  ])('give the user name "%s" no system group', async (name) => {
    expect(await groupsOf({ 'impersonate-user': name }, server.as('mallory'))).toEqual(['system:authenticated']);
  });

  it('take a comma in a group for a part of its name', async () => {
    expect(await groupsOf({ 'impersonate-user': 'u', 'impersonate-group': 'a,system:masters' })).toEqual([
      'a,system:masters',
      'system:authenticated',
    ]);
  });
});

describe('certificate of a user with the name of a service account', () => {
  it('does not make its bearer a member of the service account groups', async () => {
    const groups = await groupsOf({}, server.as('system:serviceaccount:kube-system:default'));
    expect(groups).toEqual(['system:authenticated']);
  });
});
