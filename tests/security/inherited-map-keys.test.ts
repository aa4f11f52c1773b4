import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer } from './support/api-server.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
/** Names that every JavaScript object answers to, of those that are valid label and data keys. */
const inherited = ['valueOf', 'toString', 'constructor', 'hasOwnProperty', 'isPrototypeOf', 'toLocaleString'];

let server: ApiServer;

beforeAll(async () => {
  server = await startApiServer();
  await server.admin('POST', configMaps, { metadata: { name: 'plain' }, data: { a: 'b' } });
});

afterAll(() => server.stop());

const names = async (query: string) => {
  const { body } = await server.admin('GET', `${configMaps}?${query}`);
  return (body as { items: { metadata: { name: string } }[] }).items.map(({ metadata }) => metadata.name);
};

describe('label selector with the name of an inherited property', () => {
  it.each(inherited)('"%s" selects only objects that have the label', async (key) => {
    expect(await names(`labelSelector=${key}`)).toEqual([]);
    expect(await names(`labelSelector=!${key}`)).toContain('plain');
    expect(await names(`labelSelector=${key}%20notin%20(x)`)).toContain('plain');
  });

  it('deletes nothing that does not have the label', async () => {
    const answer = await server.admin('DELETE', `${configMaps}?labelSelector=valueOf`);
    expect(answer.status).toBe(200);
    expect(await names('')).toContain('plain');
  });
});

describe('data keys with the name of an inherited property', () => {
  it.each([...inherited, '__proto__'])('"%s" is stored and read back', async (key) => {
    const name = `with-${key.toLowerCase().replaceAll('_', '')}`;
    // Written as text: an object literal would set the prototype.
    const body = `{"metadata":{"name":"${name}"},"data":{"${key}":"x"}}`;
    expect((await server.admin('POST', configMaps, body)).status).toBe(201);
    const { text } = await server.admin('GET', `${configMaps}/${name}`);
    expect(text).toContain(`"data":{"${key}":"x"}`);
  });

  it.each(['application/merge-patch+json', 'application/strategic-merge-patch+json', 'application/apply-patch+yaml'])(
    '"__proto__" goes through a patch of type %s',
    async (type) => {
      const name = `patched-${type.length}`;
      await server.admin('POST', configMaps, { metadata: { name } });
      const body = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"},"data":{"__proto__":"x"}}`;
      const path = `${configMaps}/${name}?${type.includes('apply') ? 'fieldManager=m' : ''}`;
      const { status, text } = await server.admin('PATCH', path, body, { 'content-type': type });
      expect(status).toBe(200);
      expect(text).toContain('"data":{"__proto__":"x"}');
    },
  );
});

describe('words of a request with the name of an inherited property', () => {
  it.each(['constructor', 'valueOf', '__proto__', 'toString'])('"%s" is refused or ignored', async (word) => {
    const patch = await server.admin('PATCH', `${configMaps}/plain`, {}, { 'content-type': word });
    expect(patch.status).toBe(415);
    const selector = await server.admin('GET', `${configMaps}?fieldSelector=${word}=x`);
    expect(selector.status).toBe(400);
    const version = await server.admin('GET', `/apis/${word}/v1/namespaces/default/${word}`);
    expect(version.status).toBe(404);
    const resource = await server.admin('GET', `/api/v1/namespaces/default/${word}`);
    expect(resource.status).toBe(404);
    const type = await server.admin('POST', '/api/v1/namespaces/default/secrets', {
      metadata: { generateName: 'secret-' },
      type: word,
    });
    expect(type.status).toBe(201);
    expect(server.engine.internalErrors).toEqual([]);
  });
});
