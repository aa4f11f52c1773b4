import { expect } from '../support/expect.ts';
import { causesOf, expectRefusal } from '../support/expect-status.ts';
import { configMap, pod, service } from '../support/objects.ts';
import { configMaps, core, pods, services } from '../support/paths.ts';
import type { Case, KubeObject, Target } from '../support/target.ts';

const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

const badNames: Readonly<Record<string, readonly [name: string, complaint: string]>> = {
  'capital letters': ['Bad', subdomain],
  underscores: ['a_b', subdomain],
  'a leading dash': ['-a', subdomain],
  'a trailing dot': ['a.', subdomain],
};

const badLabels: Readonly<Record<string, readonly [labels: object, cause: string]>> = {
  'a bad value': [
    { a: 'b c' },
    "metadata.labels: FieldValueInvalid: Invalid value: \"b c\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
  ],
  'a bad key': [
    { 'a b': 'c' },
    "metadata.labels: FieldValueInvalid: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
  ],
  'a value that is too long': [
    { a: 'x'.repeat(64) },
    `metadata.labels: FieldValueInvalid: Invalid value: "${'x'.repeat(64)}": must be no more than 63 bytes`,
  ],
};

export const cases: readonly Case[] = [
  ...Object.entries(badNames).map(([what, [name, complaint]]) => ({
    title: `a name with ${what} is refused with the rule that it breaks`,
    run: async (t: Target) => {
      const answer = await t.request('POST', configMaps(await t.namespace()), configMap(name));
      expectRefusal(answer, {
        code: 422,
        reason: 'Invalid',
        message: `ConfigMap "${name}" is invalid: metadata.name: Invalid value: "${name}": ${complaint}`,
        details: { name, kind: 'ConfigMap' },
      });
      expect(causesOf(answer)).toEqual([`metadata.name: FieldValueInvalid: Invalid value: "${name}": ${complaint}`]);
    },
  })),
  {
    title: 'a name may have 253 bytes and no more',
    run: async (t) => {
      const path = configMaps(await t.namespace());
      expect((await t.request('POST', path, configMap('a'.repeat(253)))).status).toBe(201);
      expectRefusal(await t.request('POST', path, configMap('a'.repeat(254))), {
        code: 422,
        message: `ConfigMap "${'a'.repeat(254)}" is invalid: metadata.name: Invalid value: "${'a'.repeat(254)}": must be no more than 253 characters`,
      });
    },
  },
  {
    title: 'an object without a name and generateName is refused',
    run: async (t) => {
      const answer = await t.request('POST', configMaps(await t.namespace()), { metadata: {} });
      expectRefusal(answer, { code: 422, reason: 'Invalid', details: { kind: 'ConfigMap' } });
      expect(causesOf(answer)).toEqual([
        'metadata.name: FieldValueRequired: Required value: name or generateName is required',
      ]);
    },
  },
  {
    title: 'generateName gets five characters from an alphabet without vowels',
    run: async (t) => {
      const path = configMaps(await t.namespace());
      const made = await t.must('POST', path, { metadata: { generateName: 'gen-' } });
      expect(made.metadata.name).toMatch(/^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
      expect(made.metadata['generateName']).toBe('gen-');
    },
  },
  {
    title: 'generateName is cut to leave room for what is added',
    run: async (t) => {
      const path = configMaps(await t.namespace());
      const made = await t.must('POST', path, { metadata: { generateName: 'g'.repeat(80) } });
      expect(made.metadata.name).toMatch(/^g{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    },
  },
  {
    title: 'a name wins over generateName',
    run: async (t) => {
      const path = configMaps(await t.namespace());
      const made = await t.must('POST', path, { metadata: { name: 'mine', generateName: 'gen-' } });
      expect(made.metadata).toMatchObject({ name: 'mine', generateName: 'gen-' });
    },
  },
  {
    title: 'a generateName that makes a bad name is refused under both fields',
    run: async (t) => {
      const answer = await t.request('POST', configMaps(await t.namespace()), { metadata: { generateName: 'Bad_' } });
      expectRefusal(answer, { code: 422, reason: 'Invalid' });
      expect(causesOf(answer).map((cause) => cause.split(':')[0])).toEqual(['metadata.generateName', 'metadata.name']);
    },
  },
  {
    title: 'a second object of the same name is refused',
    run: async (t) => {
      const path = configMaps(await t.namespace());
      await t.must('POST', path, configMap('twice'));
      expectRefusal(await t.request('POST', path, configMap('twice')), {
        code: 409,
        reason: 'AlreadyExists',
        message: 'configmaps "twice" already exists',
        details: { name: 'twice', kind: 'configmaps' },
      });
    },
  },
  {
    title: 'a namespace is named like a label',
    run: async (t) => {
      expectRefusal(await t.request('POST', '/api/v1/namespaces', { metadata: { name: 'A-b' } }), {
        code: 422,
        message: `Namespace "A-b" is invalid: metadata.name: Invalid value: "A-b": ${label}`,
      });
      expectRefusal(await t.request('POST', '/api/v1/namespaces', { metadata: { name: 'a.b' } }), {
        code: 422,
        message: `Namespace "a.b" is invalid: metadata.name: Invalid value: "a.b": must not contain dots`,
      });
    },
  },
  {
    title: 'a service may begin with a digit, but not with a dash',
    run: async (t) => {
      const path = services(await t.namespace());
      expect((await t.request('POST', path, service('1a'))).status).toBe(201);
      expectRefusal(await t.request('POST', path, service('-a')), {
        code: 422,
        message: `Service "-a" is invalid: metadata.name: Invalid value: "-a": ${label}`,
      });
    },
  },
  {
    title: 'a pod may be named with dots, a container may not',
    run: async (t) => {
      const path = pods(await t.namespace());
      expect((await t.request('POST', path, pod('a.b'))).status).toBe(201);
      const answer = await t.request('POST', path, pod('c', { containers: [{ name: 'a.b', image: 'x' }] }));
      expect(causesOf(answer)).toEqual([
        `spec.containers[0].name: FieldValueInvalid: Invalid value: "a.b": must not contain dots`,
      ]);
    },
  },
  {
    title: 'a service account name that is no subdomain is refused',
    run: async (t) => {
      const path = core(await t.namespace(), 'serviceaccounts');
      expectRefusal(await t.request('POST', path, { metadata: { name: 'a/b' } }), { code: 422, reason: 'Invalid' });
    },
  },
  {
    title: 'a role may have colons in its name but no slash',
    run: async (t) => {
      const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${await t.namespace()}/roles`;
      expect((await t.request('POST', path, { metadata: { name: 'a:b:C' } })).status).toBe(201);
      expectRefusal(await t.request('POST', path, { metadata: { name: 'a/b' } }), {
        code: 422,
        message: `Role.rbac.authorization.k8s.io "a/b" is invalid: metadata.name: Invalid value: "a/b": may not contain '/'`,
      });
    },
  },
  ...Object.entries(badLabels).map(([what, [labels, cause]]) => ({
    title: `a label with ${what} is refused`,
    run: async (t: Target) => {
      const answer = await t.request('POST', configMaps(await t.namespace()), configMap('x', {}, { labels }));
      expectRefusal(answer, { code: 422, reason: 'Invalid' });
      expect(causesOf(answer)).toEqual([cause]);
    },
  })),
  {
    title: 'annotations may have any value, 256 KiB of them in all',
    run: async (t) => {
      const path = configMaps(await t.namespace());
      const made = await t.must('POST', path, configMap('fine', {}, { annotations: { a: 'x y\n{}' } }));
      expect(made.metadata.annotations).toEqual({ a: 'x y\n{}' });
      const answer = await t.request('POST', path, configMap('big', {}, { annotations: { a: 'x'.repeat(262_144) } }));
      expectRefusal(answer, { code: 422, reason: 'Invalid' });
      expect(causesOf(answer)).toEqual([
        'metadata.annotations: FieldValueTooLong: Too long: may not be more than 262144 bytes',
      ]);
    },
  },
  {
    title: 'a finalizer needs a qualified name',
    run: async (t) => {
      const answer = await t.request(
        'POST',
        configMaps(await t.namespace()),
        configMap('x', {}, { finalizers: ['bad'] }),
      );
      expectRefusal(answer, { code: 422, reason: 'Invalid' });
      expect(causesOf(answer)).toEqual([
        'metadata.finalizers[0]: FieldValueInvalid: Invalid value: "bad": name is neither a standard finalizer name nor is it fully qualified',
      ]);
    },
  },
  {
    title: 'an owner reference needs all its parts, and only one may be the controller',
    run: async (t) => {
      const path = configMaps(await t.namespace());
      const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u', controller: true };
      const poor = await t.request('POST', path, configMap('x', {}, { ownerReferences: [{ kind: 'ConfigMap' }] }));
      expect(causesOf(poor)).toEqual([
        'metadata.ownerReferences.apiVersion: FieldValueInvalid: Invalid value: "": version must not be empty',
        'metadata.ownerReferences.name: FieldValueInvalid: Invalid value: "": must not be empty',
        'metadata.ownerReferences.uid: FieldValueInvalid: Invalid value: "": must not be empty',
      ]);
      const two = await t.request(
        'POST',
        path,
        configMap('y', {}, { ownerReferences: [owner, { ...owner, name: 'p' }] }),
      );
      expectRefusal(two, { code: 422, message: /Only one reference can have Controller set to true/ });
    },
  },
  {
    title: 'what only the server may set is not taken from a client',
    run: async (t) => {
      const path = configMaps(await t.namespace());
      const made: KubeObject = await t.must(
        'POST',
        path,
        configMap(
          'x',
          {},
          {
            uid: '00000000-0000-4000-8000-000000000000',
            creationTimestamp: '2001-01-01T00:00:00Z',
            deletionTimestamp: '2001-01-01T00:00:00Z',
            deletionGracePeriodSeconds: 5,
            selfLink: '/x',
          },
        ),
      );
      expect(made.metadata.uid).not.toBe('00000000-0000-4000-8000-000000000000');
      expect(made.metadata.creationTimestamp).not.toMatch(/^2001/);
      for (const field of ['deletionTimestamp', 'deletionGracePeriodSeconds', 'selfLink'])
        expect(made.metadata).not.toHaveProperty(field);
    },
  },
  {
    title: 'creating with a resourceVersion is refused',
    run: async (t) =>
      expectRefusal(
        await t.request('POST', configMaps(await t.namespace()), configMap('x', {}, { resourceVersion: '1' })),
        { code: 500, message: 'resourceVersion should not be set on objects to be created' },
      ),
  },
];
