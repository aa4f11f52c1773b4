import { sharedWidgets } from '../support/custom-resources.ts';
import { expect } from '../support/expect.ts';
import { expectRefusal, type Refusal, warningsOf } from '../support/expect-status.ts';
import { configMap, patchType } from '../support/objects.ts';
import { configMaps, pods } from '../support/paths.ts';
import type { Case } from '../support/target.ts';

const badRequest = (message: string | RegExp): Refusal => ({ code: 400, reason: 'BadRequest', message });

const bodies: Readonly<Record<string, readonly [body: string, refusal: Refusal]>> = {
  'no body at all': ['', badRequest(/EOF|unexpected end of JSON input|Object 'Kind' is missing/)],
  'half of a JSON document': ['{"metadata":{"name":"x"', badRequest(/unexpected end of JSON input|unexpected EOF/)],
  'text that is no JSON': ['hello', badRequest(/invalid character|couldn't get version\/kind|cannot unmarshal/)],
  'a list where an object belongs': ['[]', badRequest(/cannot unmarshal array|json: cannot unmarshal/)],
  'a string where an object belongs': ['"x"', badRequest(/cannot unmarshal string/)],
  'metadata of the wrong type': [
    '{"metadata":"x"}',
    badRequest(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal string into Go struct field ConfigMap.metadata of type v1.ObjectMeta',
    ),
  ],
  'a number where text belongs': [
    '{"metadata":{"name":"x"},"data":{"a":1}}',
    badRequest(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    ),
  ],
  'text where a list belongs': [
    '{"metadata":{"name":"x","finalizers":"a"}}',
    badRequest(/cannot unmarshal string into Go struct field ObjectMeta\.metadata\.finalizers of type \[\]string/),
  ],
  'a name that is a number': [
    '{"metadata":{"name":5}}',
    badRequest(/cannot unmarshal number into Go struct field ObjectMeta\.metadata\.name of type string/),
  ],
  'bytes that are no base64': [
    '{"metadata":{"name":"x"},"binaryData":{"a":"?"}}',
    badRequest(/illegal base64 data at input byte 0/),
  ],
  'a time that is no time': [
    '{"metadata":{"name":"x","creationTimestamp":"soon"}}',
    badRequest(/parsing time "soon" as "2006-01-02T15:04:05Z07:00"/),
  ],
  'another kind': [
    '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"x"}}',
    badRequest(
      'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
    ),
  ],
  'a kind that nobody knows': [
    '{"apiVersion":"v1","kind":"Thing","metadata":{"name":"x"}}',
    badRequest(
      /^Thing in version "v1" cannot be handled as a ConfigMap: no kind "Thing" is registered for version "v1" in scheme /,
    ),
  ],
  'a version that nobody knows': [
    '{"apiVersion":"v9","kind":"ConfigMap","metadata":{"name":"x"}}',
    badRequest(/no kind "ConfigMap" is registered for version "v9"|does not match the expected API version/),
  ],
};

export const cases: readonly Case[] = [
  ...Object.entries(bodies).map(
    ([what, [body, refusal]]): Case => ({
      title: `a create with ${what} is refused`,
      run: async (t) => expectRefusal(await t.request('POST', configMaps(await t.namespace()), body), refusal),
    }),
  ),
  {
    title: 'a body in bad YAML is refused',
    run: async (t) => {
      const answer = await t.request('POST', configMaps(await t.namespace()), 'a: [', {
        'content-type': 'application/yaml',
      });
      expectRefusal(answer, { code: 400, reason: 'BadRequest' });
    },
  },
  {
    title: 'kind and version of a body may be left out',
    run: async (t) => {
      const made = await t.must('POST', configMaps(await t.namespace()), { metadata: { name: 'x' } });
      expect(made).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1' });
    },
  },
  {
    title: 'a body of more than 3 MiB is refused',
    run: async (t) => {
      const path = configMaps(await t.namespace());
      const answer = await t.request('POST', path, configMap('x', { a: 'x'.repeat(3 * 1024 * 1024) }));
      expectRefusal(answer, {
        code: 413,
        reason: 'RequestEntityTooLarge',
        message: 'Request entity too large: limit is 3145728',
      });
    },
  },
  {
    title: 'a config map of more than 1 MiB is refused by its own rule',
    run: async (t) => {
      const path = configMaps(await t.namespace());
      const answer = await t.request('POST', path, configMap('x', { a: 'x'.repeat(1024 * 1024 + 1) }));
      expectRefusal(answer, {
        code: 422,
        reason: 'Invalid',
        message: 'ConfigMap "x" is invalid: []: Too long: may not be more than 1048576 bytes',
      });
    },
  },
  {
    title: 'an object of more than 1.5 MiB is refused by the store, and stays as it was',
    run: async (t) => {
      const namespace = await t.namespace();
      const widgets = await sharedWidgets(t, 'large', {});
      const refusal = { code: 500, message: /^etcdserver: request is too large/ };
      const large = widgets.object('x', { a: 'x'.repeat(1_600_000) });
      expectRefusal(await t.request('POST', widgets.path(namespace), large), refusal);
      await t.must('POST', widgets.path(namespace), widgets.object('x', { a: 'x'.repeat(1_000_000) }));
      const more = { spec: { b: 'x'.repeat(600_000) } };
      expectRefusal(await t.request('PATCH', widgets.path(namespace, 'x'), more, patchType.merge), refusal);
      const { spec } = await t.must('GET', widgets.path(namespace, 'x'));
      expect(Object.keys(spec)).toEqual(['a']);
    },
  },
  {
    title: 'a patch of more than 3 MiB is refused',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', configMaps(namespace), configMap('x'));
      const patch = { data: { a: 'x'.repeat(3 * 1024 * 1024) } };
      expectRefusal(await t.request('PATCH', configMaps(namespace, 'x'), patch, patchType.merge), { code: 413 });
    },
  },
  {
    title: 'an update whose name differs from the path is refused',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', configMaps(namespace), configMap('x'));
      expectRefusal(
        await t.request('PUT', configMaps(namespace, 'x'), configMap('y')),
        badRequest('the name of the object (y) does not match the name on the URL (x)'),
      );
    },
  },
  {
    title: 'an update without a name is refused',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', configMaps(namespace), configMap('x'));
      expectRefusal(
        await t.request('PUT', configMaps(namespace, 'x'), { metadata: {} }),
        badRequest('the name of the object (x based on URL) was undeterminable: name must be provided'),
      );
    },
  },
  {
    title: 'an update whose namespace differs from the path is refused',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', configMaps(namespace), configMap('x'));
      expectRefusal(
        await t.request('PUT', configMaps(namespace, 'x'), configMap('x', {}, { namespace: 'default' })),
        badRequest('the namespace of the provided object does not match the namespace sent on the request'),
      );
    },
  },
  {
    title: 'a method that an object does not have is refused',
    run: async (t) => {
      const namespace = await t.namespace();
      expectRefusal(await t.request('POST', configMaps(namespace, 'x'), configMap('x')), {
        code: 405,
        reason: 'MethodNotAllowed',
      });
      expectRefusal(await t.request('PUT', configMaps(namespace), configMap('x')), {
        code: 405,
        reason: 'MethodNotAllowed',
      });
    },
  },
  {
    title: 'a method that HTTP does not have is refused',
    run: async (t) => expect((await t.request('PROPFIND', configMaps(await t.namespace()))).status).toBe(405),
  },
  {
    title: 'HEAD and OPTIONS are not for objects',
    run: async (t) => {
      const path = configMaps(await t.namespace(), 'x');
      expect((await t.request('HEAD', path)).status).toBe(405);
      expect((await t.request('OPTIONS', path)).status).toBe(405);
    },
  },
  {
    title: 'a slash at the end of a path does no harm, one inside does',
    run: async (t) => {
      const namespace = await t.namespace();
      expect((await t.request('GET', `${configMaps(namespace)}/`)).status).toBe(200);
      expect((await t.request('GET', `/api/v1//namespaces/${namespace}/configmaps`)).status).toBe(404);
    },
  },
  {
    title: 'a field manager of more than 128 bytes is refused',
    run: async (t) => {
      const path = `${configMaps(await t.namespace())}?fieldManager=${'x'.repeat(129)}`;
      expectRefusal(await t.request('POST', path, configMap('x')), {
        code: 422,
        reason: 'Invalid',
        message: 'CreateOptions.meta.k8s.io "" is invalid: fieldManager: Too long: may not be more than 128 bytes',
      });
    },
  },
  {
    title: 'a kind that is out of date says what has replaced it',
    run: async (t) => {
      const answer = await t.request('GET', `/api/v1/namespaces/${await t.namespace()}/endpoints`);
      expect(warningsOf(answer)).toEqual([
        'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
      ]);
    },
  },
  {
    title: 'a subresource that nobody knows is not found',
    run: async (t) => {
      const answer = await t.request('GET', `${pods(await t.namespace(), 'x')}/nonsense`);
      expectRefusal(answer, {
        code: 404,
        reason: 'NotFound',
        message: 'the server could not find the requested resource',
      });
    },
  },
  {
    title: 'an option of the wrong type is refused',
    run: async (t) => {
      const path = configMaps(await t.namespace());
      expectRefusal(await t.request('GET', `${path}?timeoutSeconds=soon&watch=1`), { code: 400, reason: 'BadRequest' });
      expectRefusal(await t.request('DELETE', `${path}/x?gracePeriodSeconds=soon`), {
        code: 400,
        reason: 'BadRequest',
      });
    },
  },
  {
    title: 'a name that cannot be one is simply not found',
    run: async (t) => {
      const path = configMaps(await t.namespace());
      expectRefusal(await t.request('GET', `${path}/..%2F..%2Fx`), { code: 404 });
      expectRefusal(await t.request('GET', `${path}/UPPER`), { code: 404, message: 'configmaps "UPPER" not found' });
    },
  },
  {
    title: 'very deep JSON does not harm the server',
    run: async (t) => {
      const path = configMaps(await t.namespace());
      const answer = await t.request('POST', path, `${'['.repeat(20_000)}${']'.repeat(20_000)}`);
      expect(answer.status).toBe(400);
      expect((await t.request('GET', '/healthz')).text).toBe('ok');
    },
  },
];
