import { connect } from 'node:http2';
import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestEngine, type TestEngine, type TestUser } from './start-test-engine.ts';

let engine: TestEngine;

beforeAll(async () => {
  engine = await startTestEngine({ tokens: new Map([['secret-token', { name: 'robot', groups: ['robots'] }]]) });
});

afterAll(async () => {
  await engine.stop();
});

interface Answer {
  readonly status: number;
  readonly body: Record<string, never> & { message?: string };
}

/** Over HTTP/1.1. */
function get(path: string, who: Partial<TestUser>, headers: Record<string, string> = {}): Promise<Answer> {
  const { cert, key } = who;
  const options = { ca: engine.ca.cert, ...(cert === undefined ? {} : { cert, key }), headers, agent: false };
  return new Promise((resolve, reject) => {
    request(`${engine.url}${path}`, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }));
    })
      .on('error', reject)
      .end();
  });
}

describe('the HTTPS front end', () => {
  it('knows users by their certificates and lets RBAC decide', async () => {
    expect((await get('/api/v1/namespaces', engine.admin)).status).toBe(200);
    const { status, body } = await get('/api/v1/namespaces', engine.user({ name: 'ann' }));
    expect(status).toBe(403);
    expect(body.message).toBe(
      'namespaces is forbidden: User "ann" cannot list resource "namespaces" in API group "" at the cluster scope',
    );
  });

  it('knows users by tokens, and refuses tokens it does not know', async () => {
    const known = await get('/api/v1/namespaces', {}, { authorization: 'Bearer secret-token' });
    expect(known.body.message).toContain('User "robot"');
    expect((await get('/api/v1/namespaces', {}, { authorization: 'Bearer other' })).status).toBe(401);
    expect((await get('/api/v1/namespaces', {})).body.message).toContain('User "system:anonymous"');
  });

  it('does not believe a certificate of somebody else', async () => {
    const other = await startTestEngine();
    try {
      expect((await get('/api/v1/namespaces', other.admin)).status).toBe(401);
    } finally {
      await other.stop();
    }
  });

  it('streams a watch over HTTP/2', async () => {
    const { cert, key } = engine.admin;
    const session = connect(engine.url, { ca: engine.ca.cert, cert, key });
    try {
      const stream = session.request({ ':path': '/api/v1/namespaces/default/configmaps?watch=true' });
      stream.setEncoding('utf8');
      await new Promise((resolve) => stream.once('response', resolve));
      const told = new Promise<string>((resolve) => stream.once('data', resolve));
      const type = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', isNamespaced: true };
      await engine.client.create(type, { metadata: { name: 'seen', namespace: 'default' } });
      expect(JSON.parse(await told)).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'seen' } } });
    } finally {
      session.destroy();
    }
  });

  it('meets no fault of its own on the way', () => {
    expect(engine.internalErrors).toEqual([]);
  });

  it('stops with watches open', async () => {
    const other = await startTestEngine();
    const session = connect(other.url, { ca: other.ca.cert, cert: other.admin.cert, key: other.admin.key });
    session.on('error', () => undefined);
    const stream = session.request({ ':path': '/api/v1/pods?watch=true' });
    stream.on('error', () => undefined);
    await new Promise((resolve) => stream.once('response', resolve));
    const ended = new Promise((resolve) => stream.once('close', resolve));
    stream.resume();
    await other.stop();
    await expect(ended).resolves.toBeUndefined();
    session.destroy();
  });
});
