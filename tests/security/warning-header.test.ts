import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer } from './support/api-server.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

let server: ApiServer;

beforeAll(async () => {
  server = await startApiServer();
});

afterAll(() => server.stop());

/** The texts of the header's warnings, its bytes read as UTF-8 and its quoted strings as RFC 9110 has them. */
const warningsOf = (header: unknown) => {
  const text = Buffer.from(String(header), 'latin1').toString('utf8');
  return [...text.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, quoted = '']) => quoted.replaceAll(/\\(.)/g, '$1'));
};

describe('Warning header', () => {
  it.each([
    ['letters beyond Latin-1', 'zähler€', 'unknown field "zähler€"'],
    ['an emoji', '🦈', 'unknown field "🦈"'],
    ['quotes and backslashes', 'a"b\\c', 'unknown field "a\\"b\\\\c"'],
    ['a line break', 'a\r\nset-cookie: x', 'unknown field "a\\r\\nset-cookie: x"'],
    ['a control character', 'a\u0000b', 'unknown field "a\\x00b"'],
  ])('carries an unknown field with %s, and the object is stored and shown', async (_what, field, warning) => {
    const name = `c-${Math.random().toString(36).slice(2)}`;
    const answer = await server.admin('POST', configMaps, { metadata: { name }, [field]: 1 });
    expect(answer.status).toBe(201);
    expect(warningsOf(answer.headers['warning'])).toEqual([warning]);
    expect((await server.admin('GET', `${configMaps}/${name}`)).status).toBe(200);
    expect(server.engine.internalErrors).toEqual([]);
  });

  it('stays small however many fields are unknown', async () => {
    const fields = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`field-${i}-${'x'.repeat(300)}`, i]));
    const answer = await server.admin('POST', configMaps, { metadata: { name: 'many' }, ...fields });
    expect(answer.status).toBe(201);
    expect(String(answer.headers['warning']).length).toBeLessThan(8 * 1024);
  });
});
