import { request as httpRequest } from 'node:http';
import { resources } from '@manta/kube';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ConsoleFixture, messagesOf, startConsoleFixture, until } from './console-fixture.ts';

let fixture: ConsoleFixture;
beforeAll(async () => {
  fixture = await startConsoleFixture({ hasOneTimeUrls: true });
});
afterAll(() => fixture.close());

const JOBS = '/apis/ray.io/v1/namespaces/default/rayjobs';
const job = (name: string, namespace = 'default') => ({
  apiVersion: 'ray.io/v1',
  kind: 'RayJob',
  metadata: { name, namespace },
  spec: {
    entrypoint: 'true',
    rayClusterSpec: {
      headGroupSpec: { template: { spec: { containers: [{ name: 'ray-head', image: 'rayproject/ray:2.53.0' }] } } },
    },
  },
});

/** A request with any headers: fetch sets Host itself. */
function raw(path: string, headers: Record<string, string>, method = 'GET'): Promise<number> {
  return new Promise((resolve, reject) => {
    httpRequest({ host: '127.0.0.1', port: fixture.console.port, path, method, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

describe('login', () => {
  it('with a token gives a session whose cookie only this host gets back', async () => {
    const answer = await fixture.request('/api/login/token', {
      method: 'POST',
      body: JSON.stringify({ token: 'vera' }),
    });
    expect(await answer.json()).toMatchObject({ user: 'vera', method: 'token' });
    expect(answer.headers.get('set-cookie')).toMatch(
      /^__Host-manta=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=\d+$/,
    );
  });

  it('with a wrong token is refused, and the answer says what to do', async () => {
    const answer = await fixture.request('/api/login/token', {
      method: 'POST',
      body: JSON.stringify({ token: 'nobody' }),
    });
    expect(answer.status).toBe(401);
    expect(await answer.json()).toEqual({ message: expect.stringContaining('kubectl create token') });
  });

  it.each([['{}'], ['nonsense'], [JSON.stringify({ token: 'a\nb' })], [JSON.stringify({ token: 'x'.repeat(20_000) })]])(
    'with the body %.30s is refused as malformed',
    async (body) => {
      expect((await fixture.request('/api/login/token', { method: 'POST', body })).status).toBe(400);
    },
  );

  it('with a one-time link works once', async () => {
    const url = new URL(fixture.links.at(-1) ?? '');
    const first = await fixture.request(url.pathname + url.search);
    expect([first.status, first.headers.get('location')]).toEqual([303, expect.stringMatching(/^\/#key=[\w-]{43}$/)]);
    expect((await fixture.request(url.pathname + url.search)).status).toBe(403);
    expect(fixture.links.at(-1)).not.toBe(url.href);
  });

  it('is needed for everything but the page itself', async () => {
    expect((await fixture.request('/')).status).toBe(200);
    for (const path of ['/api/session', '/api/stream', JOBS])
      expect([path, (await fixture.request(path)).status]).toEqual([path, 401]);
  });

  it('ends with a logout', async () => {
    const cookie = await fixture.logIn('ada');
    expect((await fixture.request('/api/session', { cookie })).status).toBe(200);
    expect((await fixture.request('/api/logout', { cookie, method: 'POST' })).status).toBe(204);
    expect((await fixture.request('/api/session', { cookie })).status).toBe(401);
  });
});

describe('requests to the API server', () => {
  it('carry the identity of the viewer and leave an audit line', async () => {
    const cookie = await fixture.logIn('vera');
    const answer = await fixture.request(JOBS, {
      cookie,
      method: 'POST',
      body: JSON.stringify(job('forbidden')),
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({
      message: expect.stringContaining('User "vera" cannot create resource "rayjobs"'),
    });
    expect(fixture.log()).toMatch(
      /Write.*"user":"vera","method":"POST","path":"\/apis\/ray.io\/v1\/namespaces\/default\/rayjobs","status":403/,
    );
  });

  it('work for an administrator: create, patch, read, delete', async () => {
    const cookie = await fixture.logIn('ada');
    const json = { 'content-type': 'application/json' };
    expect(
      (await fixture.request(JOBS, { cookie, method: 'POST', body: JSON.stringify(job('one')), headers: json })).status,
    ).toBe(201);
    const patch = {
      cookie,
      method: 'PATCH',
      body: '{"spec":{"suspend":true}}',
      headers: { 'content-type': 'application/merge-patch+json' },
    };
    expect((await fixture.request(`${JOBS}/one`, patch)).status).toBe(200);
    expect(await (await fixture.request(`${JOBS}/one`, { cookie })).json()).toMatchObject({ spec: { suspend: true } });
    expect((await fixture.request(`${JOBS}/one`, { cookie, method: 'DELETE' })).status).toBe(200);
  });

  it('with a bearer token need no cookie and no write header', async () => {
    const headers = { authorization: 'Bearer ada', 'content-type': 'application/json', 'x-manta-console': '' };
    expect(
      (await fixture.request(JOBS, { method: 'POST', headers, body: JSON.stringify(job('by-client')) })).status,
    ).toBe(201);
    expect((await fixture.request(`${JOBS}/by-client`, { method: 'DELETE', headers })).status).toBe(200);
  });

  it.each([
    ['/api/v1/namespaces/default/secrets', 405],
    ['/api/v1/namespaces/default/secrets/x', 404],
    ['/api/v1/namespaces/default/pods/../secrets', 405],
    ['/api/v1/namespaces/default/pods/%2e%2e/secrets', 405],
    ['/apis/ray.io/v1/..%2f..%2fapi/v1/secrets', 404],
    ['/apis/apps/v1/namespaces/default/deployments', 404],
    ['/api/v1/namespaces/default/services/x:8265/proxy/', 403],
    ['/api/v1/nodes', 404],
  ])('for %s are refused with %i', async (path, status) => {
    const cookie = await fixture.logIn('ada');
    const key = fixture.keyOf(cookie);
    expect(await raw(path, { cookie, 'x-manta-console': key, host: `127.0.0.1:${fixture.console.port}` })).toBe(status);
  });
});

describe('requests from elsewhere', () => {
  it('with a foreign Host header are refused: DNS rebinding', async () => {
    expect(await raw('/', { host: 'evil.example' })).toBe(421);
  });

  it('that write without the header, from another origin or from another site are refused', async () => {
    const cookie = await fixture.logIn('ada');
    const host = `127.0.0.1:${fixture.console.port}`;
    const own = { host, cookie, 'x-manta-console': fixture.keyOf(cookie) };
    expect(await raw(`${JOBS}/one`, { host, cookie }, 'DELETE')).toBe(403);
    expect(await raw(`${JOBS}/one`, { ...own, origin: 'http://evil.example' }, 'DELETE')).toBe(403);
    expect(await raw(`${JOBS}/one`, { ...own, 'sec-fetch-site': 'cross-site' }, 'DELETE')).toBe(403);
    expect(await raw('/api/stream', { ...own, 'sec-fetch-site': 'cross-site' })).toBe(401);
  });

  it('that write are refused although an auth proxy added a token to them', async () => {
    const host = `127.0.0.1:${fixture.console.port}`;
    const proxied = { host, authorization: 'Bearer ada' };
    expect(await raw(`${JOBS}/none`, { ...proxied, 'sec-fetch-site': 'same-site' }, 'DELETE')).toBe(403);
    expect(await raw(`${JOBS}/none`, { ...proxied, origin: 'http://evil.example' }, 'DELETE')).toBe(403);
    expect(await raw(`${JOBS}/none`, proxied, 'DELETE')).toBe(404);
  });

  it('find the security headers on every answer', async () => {
    for (const path of ['/', '/api/session', JOBS, '/nothing.js', '/login/once?code=x']) {
      const { headers } = await fixture.request(path);
      expect(headers.get('content-security-policy')).toMatch(/default-src '(self|none)'/);
      expect([
        headers.get('x-frame-options'),
        headers.get('x-content-type-options'),
        headers.get('referrer-policy'),
      ]).toEqual(['DENY', 'nosniff', 'no-referrer']);
    }
  });
});

describe('the stream', () => {
  const grant = async (namespace: string) => {
    const { client } = fixture.engine;
    const rules = [{ apiGroups: ['ray.io'], resources: ['rayjobs'], verbs: ['get', 'list', 'watch'] }];
    await client.create(resources.roles, { metadata: { name: 'see-jobs', namespace }, rules });
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'see-jobs' };
    await client.create(resources.roleBindings, {
      metadata: { name: 'see-jobs', namespace },
      roleRef,
      subjects: [{ kind: 'User', name: 'vera', apiGroup: 'rbac.authorization.k8s.io' }],
    });
  };

  it('sends an administrator everything, then changes as they happen', async () => {
    const { client } = fixture.engine;
    await client.create(resources.rayJobs, job('first'));
    const cookie = await fixture.logIn('ada');
    const stop = new AbortController();
    const messages = messagesOf(await fixture.request('/api/stream', { cookie, signal: stop.signal }));
    await until(messages, (m) => m.type === 'access' && m.access.every(({ namespaces }) => namespaces === 'all'));
    await until(
      messages,
      (m) =>
        (m.type === 'snapshot' && m.kind === 'RayJob' && m.items.some(({ metadata }) => metadata?.name === 'first')) ||
        (m.type === 'upsert' && m.kind === 'RayJob'),
    );
    await client.create(resources.rayJobs, job('second'));
    await until(messages, (m) => m.type === 'upsert' && m.kind === 'RayJob' && m.object.metadata?.name === 'second');
    await client.delete(resources.rayJobs, { namespace: 'default', name: 'second' });
    expect(await until(messages, (m) => m.type === 'delete')).toEqual({
      type: 'delete',
      kind: 'RayJob',
      namespace: 'default',
      name: 'second',
    });
    stop.abort();
  });

  it('shows a viewer only the namespaces and kinds that RBAC allows', async () => {
    const { client } = fixture.engine;
    for (const name of ['open', 'closed']) {
      await client.create(resources.namespaces, { metadata: { name } });
      await client.create(resources.rayJobs, job(`in-${name}`, name));
    }
    await grant('open');
    await vi.waitFor(async () => {
      const cookie = await fixture.logIn('vera');
      const stop = new AbortController();
      const messages = messagesOf(await fixture.request('/api/stream', { cookie, signal: stop.signal }));
      const access = await until(messages, (m) => m.type === 'access');
      const snapshot = await until(messages, (m) => m.type === 'snapshot' && m.kind === 'RayJob');
      stop.abort();
      expect(access).toMatchObject({
        access: expect.arrayContaining([
          { kind: 'RayJob', namespaces: ['open'] },
          { kind: 'Pod', namespaces: [], denied: expect.stringContaining('you may not list pods') },
        ]),
      });
      expect(snapshot.type === 'snapshot' && snapshot.items.map(({ metadata }) => metadata?.name)).toEqual(['in-open']);
    });
  });

  it('and logs are not begun for a HEAD, whose answer has no end that anybody would see', async () => {
    const cookie = await fixture.logIn('ada');
    const own = { cookie, 'x-manta-console': fixture.keyOf(cookie), host: `127.0.0.1:${fixture.console.port}` };
    for (const path of ['/api/stream', '/api/logs/pods/default/head?follow=true', '/api/logs/rayjobs/default/train'])
      expect([path, await raw(path, own, 'HEAD')]).toEqual([path, 405]);
  });

  it('ends with the session, and says why', async () => {
    const cookie = await fixture.logIn('ada');
    const messages = messagesOf(await fixture.request('/api/stream', { cookie }));
    await until(messages, (m) => m.type === 'snapshot');
    await fixture.request('/api/logout', { cookie, method: 'POST' });
    expect(await until(messages, (m) => m.type === 'logout')).toEqual({ type: 'logout', reason: 'you logged out' });
  });
});
