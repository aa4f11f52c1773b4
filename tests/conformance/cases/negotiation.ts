import { parse, stringify } from 'yaml';
import { expect } from '../support/expect.ts';
import { expectRefusal } from '../support/expect-status.ts';
import { configMap } from '../support/objects.ts';
import { configMaps, core } from '../support/paths.ts';
import type { Case, Fields, Target } from '../support/target.ts';

const partial = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const partialList = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

async function stored(t: Target): Promise<string> {
  const namespace = await t.namespace();
  await t.must('POST', configMaps(namespace), configMap('x', { a: '1' }, { labels: { suite: 'yes' } }));
  return namespace;
}

const get = async (t: Target, accept: string, path?: string) =>
  t.request('GET', path ?? configMaps(await stored(t), 'x'), undefined, { accept });

const notAcceptable = (list: string) => ({
  code: 406,
  reason: 'NotAcceptable',
  message: `406: Not Acceptable\n\nAvailable representations: ${list}`,
});
const jsonYamlProtobuf = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';

export const cases: readonly Case[] = [
  {
    title: 'JSON is answered where nothing else is asked for',
    run: async (t) => {
      for (const accept of ['application/json', '*/*', 'text/html,*/*;q=0.1']) {
        const answer = await get(t, accept);
        expect([accept, answer.status, answer.headers['content-type']]).toEqual([accept, 200, 'application/json']);
      }
    },
  },
  {
    title: 'YAML is answered to who asks for it',
    run: async (t) => {
      const answer = await get(t, 'application/yaml');
      expect(answer.headers['content-type']).toBe('application/yaml');
      expect(parse(answer.text)).toMatchObject({ kind: 'ConfigMap', data: { a: '1' }, metadata: { name: 'x' } });
    },
  },
  {
    title: 'the first type that the server knows is answered',
    run: async (t) => {
      const answer = await get(t, 'application/unknown, application/yaml, application/json');
      expect(answer.headers['content-type']).toBe('application/yaml');
    },
  },
  {
    title: 'YAML may be sent',
    run: async (t) => {
      const namespace = await t.namespace();
      const body = stringify(configMap('yaml', { a: '1' }));
      const made = await t.must('POST', configMaps(namespace), body, { 'content-type': 'application/yaml' });
      expect(made.data).toEqual({ a: '1' });
    },
  },
  {
    title: 'YAML is read as YAML 1.1, where y is true',
    run: async (t) => {
      const headers = { 'content-type': 'application/yaml' };
      const answer = await t.request('POST', configMaps(await t.namespace()), 'metadata:\n  name: y\n', headers);
      expectRefusal(answer, {
        code: 400,
        reason: 'BadRequest',
        message:
          'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal bool into Go struct field ObjectMeta.metadata.name of type string',
      });
    },
  },
  {
    title: 'a content type with parameters is understood',
    run: async (t) => {
      const headers = { 'content-type': 'application/json; charset=utf-8' };
      expect((await t.request('POST', configMaps(await t.namespace()), configMap('x'), headers)).status).toBe(201);
    },
  },
  {
    title: 'a body without a content type is JSON',
    run: async (t) => {
      const answer = await t.request('POST', configMaps(await t.namespace()), configMap('x'), { 'content-type': '' });
      expect(answer.status).toBe(201);
    },
  },
  {
    title: 'a content type that the server does not know is refused',
    run: async (t) => {
      const answer = await t.request('POST', configMaps(await t.namespace()), configMap('x'), {
        'content-type': 'text/plain',
      });
      expectRefusal(answer, {
        code: 415,
        reason: 'UnsupportedMediaType',
        message: `the body of the request was in an unknown format - accepted media types include: ${jsonYamlProtobuf}`,
      });
    },
  },
  {
    title: 'an answer that the server cannot give is refused',
    run: async (t) => expectRefusal(await get(t, 'text/html'), notAcceptable(jsonYamlProtobuf)),
  },
  {
    title: 'CBOR is refused',
    run: async (t) => {
      expectRefusal(await get(t, 'application/cbor'), notAcceptable(jsonYamlProtobuf));
      const headers = { 'content-type': 'application/cbor' };
      expectRefusal(await t.request('POST', configMaps(await t.namespace()), configMap('x'), headers), { code: 415 });
    },
  },
  {
    title: 'metadata only is answered for one object',
    run: async (t) => {
      const answer = await get(t, partial);
      expect(answer.headers['content-type']).toBe('application/json');
      expect(answer.body).toMatchObject({
        kind: 'PartialObjectMetadata',
        apiVersion: 'meta.k8s.io/v1',
        metadata: { name: 'x', labels: { suite: 'yes' } },
      });
      expect(answer.body).not.toHaveProperty('data');
    },
  },
  {
    title: 'metadata only is answered for a list',
    run: async (t) => {
      const path = `${configMaps(await stored(t))}?labelSelector=suite`;
      const answer = await get(t, partialList, path);
      expect(answer.body).toMatchObject({
        kind: 'PartialObjectMetadataList',
        apiVersion: 'meta.k8s.io/v1',
        metadata: { resourceVersion: expect.stringMatching(/^\d+$/) },
        items: [{ metadata: { name: 'x' } }],
      });
      expect((answer.body as { items: Fields[] }).items[0]).not.toHaveProperty('data');
    },
  },
  {
    title: 'metadata of a list is not answered for one object, nor the other way round',
    run: async (t) => {
      expectRefusal(await get(t, `${partialList},application/json`), {
        code: 406,
        reason: 'NotAcceptable',
        message: 'you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)',
      });
      expectRefusal(await get(t, `${partial},application/json`, configMaps(await t.namespace())), {
        code: 406,
        reason: 'NotAcceptable',
        message: 'you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)',
      });
    },
  },
  {
    title: 'a transformation that nobody knows is passed over where something else is offered',
    run: async (t) => {
      const fallback = await get(t, 'application/json;as=Nonsense;g=meta.k8s.io;v=v1,application/json');
      expect(fallback.body).toMatchObject({ kind: 'ConfigMap' });
    },
  },
  {
    title: 'a transformation that nobody knows is refused where nothing else is offered',
    run: async (t) =>
      expectRefusal(await get(t, 'application/json;as=Nonsense;g=meta.k8s.io;v=v1'), {
        code: 406,
        reason: 'NotAcceptable',
      }),
  },
  {
    title: 'what a write answers may be metadata only, too',
    run: async (t) => {
      const path = configMaps(await t.namespace());
      const answer = await t.request('POST', path, configMap('x', { a: '1' }), { accept: partial });
      expect(answer.status).toBe(201);
      expect(answer.body).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'x' } });
    },
  },
  {
    title: 'an error is a Status in JSON, or in the type that was asked for',
    run: async (t) => {
      const namespace = await t.namespace();
      const json = await get(t, partial, configMaps(namespace, 'missing'));
      expect(json.body).toMatchObject({ kind: 'Status', code: 404 });
      const yaml = await get(t, 'application/yaml', configMaps(namespace, 'missing'));
      expect(parse(yaml.text)).toMatchObject({ kind: 'Status', code: 404 });
    },
  },
  {
    title: 'a pretty answer has lines and indentation',
    run: async (t) => {
      const namespace = await stored(t);
      expect((await t.request('GET', `${configMaps(namespace, 'x')}?pretty=true`)).text).toMatch(
        /^\{\n {2}"kind": "ConfigMap",\n/,
      );
      expect((await t.request('GET', configMaps(namespace, 'x'))).text).toMatch(
        /^\{"kind":"ConfigMap","apiVersion":"v1",/,
      );
    },
  },
  {
    title: 'a large answer is compressed for who can read it',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', configMaps(namespace), configMap('big', { a: 'x'.repeat(200_000) }));
      const answer = await t.request('GET', configMaps(namespace, 'big'), undefined, { 'accept-encoding': 'gzip' });
      expect(answer.headers['content-encoding']).toBe('gzip');
    },
  },
  {
    title: 'answers of the API may not be cached',
    run: async (t) => {
      const answer = await t.request('GET', core(await t.namespace(), 'secrets'));
      expect(answer.headers['cache-control']).toBe('no-cache, private');
      expect(answer.headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/);
    },
  },
];
