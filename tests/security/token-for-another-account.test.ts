import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer, statusOf } from './support/api-server.ts';

const accounts = '/api/v1/namespaces/default/serviceaccounts';
const whoAmI = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

let server: ApiServer;

beforeAll(async () => {
  server = await startApiServer({ hasServiceAccounts: false });
  for (const name of ['bot', 'boss']) await server.admin('POST', accounts, { metadata: { name } });
  const containers = [{ name: 'c', image: 'x' }];
  for (const name of ['bot', 'boss'])
    await server.admin('POST', '/api/v1/namespaces/default/pods', {
      metadata: { name: `pod-of-${name}` },
      spec: { serviceAccountName: name, containers },
    });
});

afterAll(() => server.stop());

const request = (boundObjectRef: object) => server.admin('POST', `${accounts}/bot/token`, { spec: { boundObjectRef } });

describe('bound token of a service account', () => {
  it.each([
    { kind: 'ServiceAccount', name: 'boss' },
    { kind: 'ServiceAccount', apiVersion: 'v1', name: 'boss', uid: 'x' },
    { kind: 'serviceaccount', name: 'boss' },
    { kind: 'Namespace', apiVersion: 'v1', name: 'default' },
    { name: 'boss' },
  ])('is refused for a reference other than to a Pod, Secret or Node: %j', async (ref) => {
    const answer = await request(ref);
    expect(answer.status).toBe(400);
    expect(statusOf(answer).message).toMatch(/^cannot bind token to object of type \/(v1)?, Kind=/);
  });

  it('never names another account than the one that it was requested for', async () => {
    for (const kind of ['ServiceAccount', 'Pod', 'Secret', 'Node', 'namespace', '__proto__']) {
      const answer = await request({ kind, apiVersion: 'v1', name: 'boss' });
      const token = (answer.body as { status?: { token?: string } }).status?.token;
      if (token === undefined) continue;
      const who = await server.withToken(token)('POST', whoAmI, {});
      expect((who.body as { status: { userInfo: object } }).status.userInfo).toMatchObject({
        username: 'system:serviceaccount:default:bot',
      });
    }
  });

  it('is refused for a pod that runs as another account', async () => {
    const answer = await request({ kind: 'Pod', apiVersion: 'v1', name: 'pod-of-boss' });
    expect(answer.status).toBe(400);
    expect(statusOf(answer).message).toBe(
      'cannot bind token for serviceaccount "bot" to pod running with different serviceaccount name.',
    );
  });

  it('is refused for a pod that does not exist, or has another UID', async () => {
    expect((await request({ kind: 'Pod', apiVersion: 'v1', name: 'absent' })).status).toBe(404);
    expect((await request({ kind: 'Pod', apiVersion: 'v1', name: 'pod-of-bot', uid: 'forged' })).status).toBe(409);
  });

  it('lives no longer than 2^32 seconds', async () => {
    const forever = await server.admin('POST', `${accounts}/bot/token`, { spec: { expirationSeconds: 2 ** 32 + 1 } });
    expect(forever.status).toBe(422);
    expect(statusOf(forever).message).toMatch(/4294967297: may not specify a duration larger than 2\^32 seconds/);
  });
});
