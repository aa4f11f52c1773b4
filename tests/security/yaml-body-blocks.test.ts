import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer, statusOf } from './support/api-server.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const yaml = { 'content-type': 'application/yaml' };
const apply = { 'content-type': 'application/apply-patch+yaml' };

let server: ApiServer;

beforeAll(async () => {
  server = await startApiServer();
});

afterAll(() => server.stop());

const many = (name: string, count: number) => {
  const lines = Array.from({ length: count }, (_, i) => `  k${i}: v`);
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata:\n${lines.join('\n')}\n`;
};

describe('YAML body', () => {
  it.each([
    ['POST', configMaps, yaml],
    ['PATCH', `${configMaps}/large?fieldManager=m`, apply],
  ])('of 2.9 MB is refused unread in a %s to %s', async (method, path, type) => {
    const answer = await server.admin(method, path, many('large', 220_000), type);
    expect(answer.status).toBe(413);
    expect(statusOf(answer).message).toMatch(/limit is 131072 for YAML, this body has \d+: send it as JSON$/);
  });

  it('of 2.9 MB that begins like JSON is refused unread', async () => {
    const body = `{"apiVersion": "v1", "data": [${'1,'.repeat(1_450_000)}`;
    expect((await server.admin('PATCH', `${configMaps}/x?fieldManager=m`, body, apply)).status).toBe(413);
  });

  it('of usual size is taken', async () => {
    expect((await server.admin('POST', configMaps, many('small', 1000), yaml)).status).toBe(201);
    expect(
      (await server.admin('PATCH', `${configMaps}/applied?fieldManager=m`, many('applied', 9), apply)).status,
    ).toBe(201);
  });

  it('that is JSON has the limit of JSON, and is never read as YAML', async () => {
    const data = Object.fromEntries(Array.from({ length: 40_000 }, (_, i) => [`k${i}`, 'value']));
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'json' }, data });
    expect(body.length).toBeGreaterThan(400_000);
    expect((await server.admin('PATCH', `${configMaps}/json?fieldManager=m`, body, apply)).status).toBe(201);
  });

  it.each([
    ['refers to itself', 'metadata: {name: y}\ndata: &a {a: b, c: *a}\n'],
    ['multiplies by aliases', `a: &a [${'x,'.repeat(9)}]\n${aliases('abcdefgh', 9)}metadata: {name: y}\n`],
    ['nests too deeply', `metadata: {name: y}\ndata: ${'['.repeat(2000)}${']'.repeat(2000)}\n`],
  ])('that %s is a bad request', async (_what, body) => {
    expect((await server.admin('POST', configMaps, body, yaml)).status).toBe(400);
    expect(server.engine.internalErrors).toEqual([]);
  });
});

function aliases(letters: string, count: number): string {
  return Array.from(letters)
    .slice(1)
    .map((letter, i) => `${letter}: &${letter} [${`*${letters[i]},`.repeat(count)}]\n`)
    .join('');
}

describe('JSON body', () => {
  const deep = (levels: number) => `{"metadata":{"name":"d"},"data":${'['.repeat(levels)}${']'.repeat(levels)}}`;

  it.each([600, 5000, 100_000, 1_400_000])('with %i levels is a bad request', async (levels) => {
    const answer = await server.admin('POST', configMaps, deep(levels));
    expect(answer.status).toBe(400);
    expect(statusOf(answer).message).toContain('exceeded max depth: the body nests more than 500 levels');
  });

  it.each(['application/merge-patch+json', 'application/json-patch+json', 'application/strategic-merge-patch+json'])(
    'of type %s with 100,000 levels is a bad request',
    async (type) => {
      await server.admin('POST', configMaps, { metadata: { name: 'd' } });
      const answer = await server.admin('PATCH', `${configMaps}/d`, deep(100_000), { 'content-type': type });
      expect(answer.status).toBe(400);
      expect(server.engine.internalErrors).toEqual([]);
    },
  );
});

describe('protobuf body', () => {
  it('with 200,000 entries in a map is decoded in linear time', async () => {
    const entry = (i: number) => {
      const key = `k${i.toString(36).padStart(4, '0')}`;
      return Buffer.from([0x12, key.length + 5, 0x0a, key.length, ...Buffer.from(key), 0x12, 1, 0x76]);
    };
    const raw = Buffer.concat(Array.from({ length: 200_000 }, (_, i) => entry(i)));
    const type = Buffer.from([0x0a, 2, ...Buffer.from('v1'), 0x12, 9, ...Buffer.from('ConfigMap')]);
    const unknown = Buffer.concat([Buffer.from([0x6b, 0x38, 0x73, 0x00]), field(1, type), field(2, raw)]);
    const { request } = await import('node:https');
    const { cert, key } = server.engine.admin;
    const status = await new Promise<number>((resolve, reject) => {
      const call = request(`${server.engine.url}${configMaps}`, {
        method: 'POST',
        ca: server.engine.ca.cert,
        cert,
        key,
        headers: { 'content-type': 'application/vnd.kubernetes.protobuf', 'content-length': unknown.length },
      });
      call.on('response', (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      call.on('error', reject);
      call.end(unknown);
    });
    // It lacks a name: that it is refused in time is what counts.
    expect(status).toBe(422);
  }, 60_000);
});

function field(number: number, bytes: Buffer): Buffer {
  const length: number[] = [];
  for (let left = bytes.length; ; left >>>= 7) {
    length.push(left > 127 ? (left & 127) | 128 : left);
    if (left <= 127) break;
  }
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length]), bytes]);
}
