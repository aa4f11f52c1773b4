import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { ConfigMap, KubeObject, Pod } from '../../packages/api/src/index.ts';
import {
  type ApiError,
  type Connection,
  createKubeClient,
  createTransport,
  discover,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGranted,
  isInvalid,
  isNotFound,
  isServed,
  type KubeClient,
  type KubeClientOptions,
  mayI,
  myRules,
  resources,
  sendThroughApiServer,
  systemClock,
  type Transport,
  type WatchEvent,
} from '../../packages/kube/src/index.ts';
import { createTestNamespace } from '../support/namespace.ts';
import type { PlaneClient, PlaneUser } from '../support/plane-client.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';

const { configMaps, pods, roles, roleBindings } = resources;
const plane = sharedControlPlane();
const transports: Transport[] = [];
const { client, transport } = connect(plane, plane.admin);
let namespace = '';

beforeAll(async () => {
  namespace = (await createTestNamespace(plane, 'kube-client')).name;
});
afterAll(async () => {
  for (const each of transports) await each.close();
});

function connect(to: PlaneClient, user: PlaneUser, options: Partial<KubeClientOptions> = {}) {
  const who = { headers: {}, cert: user.cert, key: user.key };
  const connection: Connection = {
    server: new URL(to.url),
    tls: { ca: to.ca.cert, rejectUnauthorized: true },
    credentials: () => who,
    invalidateCredentials: () => undefined,
  };
  const made = createTransport({ connection, clock: systemClock, userAgent: 'manta/test' });
  transports.push(made);
  return { transport: made, client: createKubeClient({ transport: made, clock: systemClock, ...options }) };
}

const failureOf = async (promise: Promise<unknown>): Promise<ApiError> =>
  await promise.then(
    () => expect.unreachable('the server should have refused this'),
    (error: ApiError) => error,
  );

const configMap = (
  name: string,
  data: Record<string, string> = {},
  labels: Record<string, string> = {},
): ConfigMap => ({
  metadata: { name, namespace, labels },
  data,
});

const pod = (name: string): Pod => ({
  metadata: { name, namespace },
  spec: { containers: [{ name: 'main', image: 'none', env: [{ name: 'A', value: '1' }] }] },
});

async function nextEvents<T>(events: AsyncIterator<WatchEvent<T>>, count: number): Promise<WatchEvent<T>[]> {
  const seen: WatchEvent<T>[] = [];
  while (seen.length < count) {
    const { value, done } = await events.next();
    if (done === true) break;
    seen.push(value);
  }
  return seen;
}

const startWatch = <T extends KubeObject>(options: Parameters<KubeClient['watch']>[1], as = client) => {
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const watched = as.watch<T>(configMaps as never, { namespace, signal: controller.signal, ...options });
  return watched[Symbol.asyncIterator]();
};

describe('objects', () => {
  test('create, get, update, delete: each answers with the object as it is now', async () => {
    const made = await client.create(configMaps, configMap('life', { a: '1' }));
    expect(made.metadata?.uid).toBeTruthy();
    const read = await client.get(configMaps, { name: 'life', namespace });
    const { managedFields, ...metadata } = { managedFields: undefined, ...read.metadata };
    expect(managedFields).toBeTruthy();
    expect({ ...read, metadata }).toEqual(made);
    const changed = await client.update(configMaps, { ...read, data: { a: '2' } });
    expect(changed.data).toEqual({ a: '2' });
    expect(await client.delete(configMaps, { name: 'life', namespace })).toMatchObject({
      kind: 'Status',
      status: 'Success',
    });
    expect(isNotFound(await failureOf(client.get(configMaps, { name: 'life', namespace })))).toBe(true);
  });

  test('an old resourceVersion is a conflict, a second create says that the object exists', async () => {
    const made = await client.create(configMaps, configMap('twice'));
    expect(isAlreadyExists(await failureOf(client.create(configMaps, configMap('twice'))))).toBe(true);
    await client.update(configMaps, { ...made, data: { a: '1' } });
    const conflict = await failureOf(client.update(configMaps, { ...made, data: { a: '2' } }));
    expect(isConflict(conflict)).toBe(true);
    expect(isAlreadyExists(conflict)).toBe(false);
    expect(conflict.message).toContain('the object has been modified');
  });

  test('what the server finds wrong is named by field', async () => {
    const invalid = await failureOf(client.create(configMaps, configMap('UPPER')));
    expect(isInvalid(invalid)).toBe(true);
    expect(invalid.causes[0]?.field).toBe('metadata.name');
    const strict = await failureOf(
      client.create(configMaps, { ...configMap('strict'), dta: {} } as ConfigMap, { fieldValidation: 'Strict' }),
    );
    expect(strict.message).toContain('unknown field "dta"');
  });

  test('a dry run changes nothing', async () => {
    await client.create(configMaps, configMap('dry'), { dryRun: true });
    expect(isNotFound(await failureOf(client.get(configMaps, { name: 'dry', namespace })))).toBe(true);
  });

  test('metadata only: no data comes over the wire', async () => {
    await client.create(configMaps, configMap('partial', { a: '1' }));
    const partial = await client.get(configMaps, { name: 'partial', namespace }, { content: 'metadata' });
    expect(partial.kind).toBe('PartialObjectMetadata');
    expect(partial.data).toBeUndefined();
    const list = await client.list(configMaps, { namespace, content: 'metadata' });
    expect(list.items.every((item) => item.data === undefined)).toBe(true);
  });

  test('deletion honours preconditions and grace', async () => {
    await client.create(configMaps, configMap('guarded'));
    const wrong = client.delete(configMaps, { name: 'guarded', namespace }, { preconditions: { uid: 'other' } });
    expect(isConflict(await failureOf(wrong))).toBe(true);
    await client.delete(
      configMaps,
      { name: 'guarded', namespace },
      { propagation: 'Background', gracePeriodSeconds: 0 },
    );
  });

  test('a kind that nobody serves is explained', async () => {
    const unknown = { group: 'nobody.io', version: 'v1', plural: 'things', kind: 'Thing', isNamespaced: true };
    const error = await failureOf(client.get(unknown, { name: 'a', namespace }));
    expect(isNotFound(error)).toBe(true);
    expect(error.message).toContain('the kind may not be installed');
  });
});

describe('patches', () => {
  test('merge: null removes, lists are replaced', async () => {
    await client.create(configMaps, configMap('merge', { a: '1', b: '2' }));
    const ref = { name: 'merge', namespace };
    const patched = await client.patch(configMaps, ref, { type: 'merge', body: { data: { a: null, c: '3' } } });
    expect(patched.data).toEqual({ b: '2', c: '3' });
  });

  test('JSON: operations in order, and a failed test changes nothing', async () => {
    await client.create(configMaps, configMap('json', { a: '1' }));
    const ref = { name: 'json', namespace };
    const body = [
      { op: 'test', path: '/data/a', value: '1' },
      { op: 'add', path: '/data/b~1c', value: '2' },
      { op: 'remove', path: '/data/a' },
    ] as const;
    const refused = await failureOf(
      client.patch(configMaps, ref, { type: 'json', body: [{ op: 'test', path: '/data/a', value: 'x' }] }),
    );
    expect(refused.code).toBe(422);
    const legal = body.filter((operation) => operation.op !== 'add');
    expect((await client.patch(configMaps, ref, { type: 'json', body: legal })).data).toBeUndefined();
  });

  test('strategic: list entries are merged by their key', async () => {
    await client.create(pods, pod('strategic'));
    const body = { spec: { containers: [{ name: 'main', image: 'other' }] } };
    const patched = await client.patch(pods, { name: 'strategic', namespace }, { type: 'strategic', body });
    expect(patched.spec?.containers[0]).toMatchObject({ image: 'other', env: [{ name: 'A', value: '1' }] });
  });

  test('apply: makes, owns its fields, and disputes are conflicts unless forced', async () => {
    const ref = { name: 'applied', namespace };
    const body = { metadata: { name: 'applied' }, data: { a: '1' } };
    await client.patch(configMaps, ref, { type: 'apply', body, fieldManager: 'one' });
    const other = { ...body, data: { a: '2' } };
    const dispute = await failureOf(client.patch(configMaps, ref, { type: 'apply', body: other, fieldManager: 'two' }));
    expect(isConflict(dispute)).toBe(true);
    expect(dispute.message).toContain('conflict with "one"');
    const forced = await client.patch(configMaps, ref, {
      type: 'apply',
      body: other,
      fieldManager: 'two',
      force: true,
    });
    expect(forced.data).toEqual({ a: '2' });
  });

  test('the status subresource changes the status and nothing else', async () => {
    await client.create(pods, pod('status'));
    const body = { spec: { nodeName: 'n' }, status: { phase: 'Running' } };
    const ref = { name: 'status', namespace };
    const patched = await client.patch(pods, ref, { type: 'merge', body }, { subresource: 'status' });
    expect(patched.status?.phase).toBe('Running');
    expect(patched.spec?.nodeName).toBeUndefined();
    const updated = await client.update(
      pods,
      { ...patched, status: { ...patched.status, phase: 'Failed' } },
      { subresource: 'status' },
    );
    expect(updated.status?.phase).toBe('Failed');
  });
});

describe('lists', () => {
  const many = 120;
  beforeAll(async () => {
    const filler = 'ü🐟"\\'.repeat(300);
    await Promise.all(
      Array.from({ length: many }, (_, i) =>
        client.create(
          configMaps,
          configMap(`many-${i}`, { filler }, { set: 'many', half: i < 60 ? 'first' : 'second' }),
        ),
      ),
    );
  });

  test('pages add up to the whole', async () => {
    const names: unknown[] = [];
    let next: string | undefined;
    let pages = 0;
    do {
      const page = await client.list(configMaps, { namespace, labelSelector: 'set=many', limit: 50, continue: next });
      names.push(...page.items.map((item) => item.metadata?.name));
      next = page.metadata.continue;
      pages++;
    } while (next);
    expect(pages).toBe(3);
    expect(new Set(names).size).toBe(many);
  });

  test('the streamed list gives the same items and version as the list', async () => {
    const options = { namespace, labelSelector: 'set=many', resourceVersion: '0' };
    const list = await client.list(configMaps, options);
    const stream = client.listStream(configMaps, options);
    const items: ConfigMap[] = [];
    for await (const item of stream) items.push(item);
    expect(items).toEqual(list.items);
    expect((await stream.metadata).resourceVersion).toMatch(/^\d+$/);
  });

  test('a streamed list of nothing ends at once with its version', async () => {
    const stream = client.listStream(configMaps, { namespace, labelSelector: 'set=none' });
    const items: ConfigMap[] = [];
    for await (const item of stream) items.push(item);
    expect(items).toEqual([]);
    expect((await stream.metadata).resourceVersion).toMatch(/^\d+$/);
  });

  test('deleteCollection takes what the selector names, and leaves the rest', async () => {
    await client.deleteCollection(configMaps, { namespace, labelSelector: 'half=first' });
    const left = await client.list(configMaps, { namespace, labelSelector: 'set=many' });
    expect(left.items).toHaveLength(60);
  });
});

describe('watches', () => {
  test('changes arrive in order', async () => {
    const { metadata } = await client.list(configMaps, { namespace });
    const events = startWatch<ConfigMap>({ resourceVersion: metadata.resourceVersion, labelSelector: 'watched=yes' });
    await client.create(configMaps, configMap('watched', {}, { watched: 'yes' }));
    const ref = { name: 'watched', namespace };
    await client.patch(configMaps, ref, { type: 'merge', body: { data: { a: '1' } } });
    await client.delete(configMaps, ref);
    const seen = await nextEvents(events, 3);
    expect(seen.map((event) => event.type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
  });

  test('a watch that the server ends by its timeout ends without an error', async () => {
    const { metadata } = await client.list(configMaps, { namespace });
    const events = startWatch({
      resourceVersion: metadata.resourceVersion,
      labelSelector: 'no=body',
      timeoutSeconds: 2,
    });
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  test('WatchList: what exists comes first, then the bookmark that says so, then what happens', async () => {
    await client.create(configMaps, configMap('first-a', {}, { list: 'yes' }));
    await client.create(configMaps, configMap('first-b', {}, { list: 'yes' }));
    const events = startWatch<ConfigMap>({ sendInitialEvents: true, labelSelector: 'list=yes' });
    const initial = await nextEvents(events, 3);
    expect(initial.map((event) => event.type)).toEqual(['ADDED', 'ADDED', 'BOOKMARK']);
    expect(initial[2]).toMatchObject({ isInitialEventsEnd: true, resourceVersion: expect.stringMatching(/^\d+$/) });
    await client.create(configMaps, configMap('later', {}, { list: 'yes' }));
    const [later] = await nextEvents(events, 1);
    expect(later).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'later' } } });
  });

  test('a watch of the metadata carries no data', async () => {
    await client.create(configMaps, configMap('slim', { a: '1' }, { slim: 'yes' }));
    const events = startWatch<ConfigMap>({ sendInitialEvents: true, labelSelector: 'slim=yes', content: 'metadata' });
    const [added] = await nextEvents(events, 1);
    expect(added).toMatchObject({
      type: 'ADDED',
      object: { kind: 'PartialObjectMetadata', metadata: { name: 'slim' } },
    });
    expect(JSON.stringify(added)).not.toContain('"data"');
  });
});

describe('who may do what', () => {
  let user: PlaneUser;
  beforeAll(async () => {
    user = plane.user({ name: 'limited' });
    await client.create(roles, {
      metadata: { name: 'reader', namespace },
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] }],
    });
    await client.create(roleBindings, {
      metadata: { name: 'reader', namespace },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
      subjects: [{ kind: 'User', name: 'limited', apiGroup: 'rbac.authorization.k8s.io' }],
    });
    while (!(await ask('list', 'configmaps'))) await new Promise((resolve) => setTimeout(resolve, 20));
  });
  const ask = async (verb: string, resource: string) =>
    (await mayI(connect(plane, user).client, { verb, group: '', resource, namespace })).isAllowed;

  test('access reviews and rules reviews agree with what the server does', async () => {
    const limited = connect(plane, user).client;
    const rules = await myRules(limited, namespace);
    for (const [verb, resource, isAllowed] of [
      ['list', 'configmaps', true],
      ['watch', 'configmaps', false],
      ['list', 'pods', false],
    ] as const) {
      expect(await ask(verb, resource)).toBe(isAllowed);
      expect(isGranted(rules, { verb, group: '', resource })).toBe(isAllowed);
    }
    await limited.list(configMaps, { namespace });
    const refused = await failureOf(limited.list(pods, { namespace }));
    expect(isForbidden(refused)).toBe(true);
    expect(refused.message).toBe(
      `pods is forbidden: User "limited" cannot list resource "pods" in API group "" in the namespace "${namespace}"`,
    );
    const watch = limited.watch(pods, { namespace })[Symbol.asyncIterator]();
    expect(isForbidden(await failureOf(watch.next()))).toBe(true);
  });

  test('an expired client certificate is named as the cause of the 401', async () => {
    const expired = plane.user({
      name: 'late',
      notBefore: new Date('2020-01-01T00:00:00Z'),
      notAfter: new Date('2020-01-02T00:00:00Z'),
    });
    const error = await failureOf(connect(plane, expired).client.list(pods, { namespace }));
    expect(error.code).toBe(401);
    expect(error.message).toContain('our client certificate expired at 2020-01-02T00:00:00.000Z');
  });
});

test('discovery knows what is served', async () => {
  const groups = await discover(client);
  const core = groups.find((group) => group.name === '')?.versions[0];
  const podResource = core?.resources.find((resource) => resource.type.plural === 'pods');
  expect(podResource).toMatchObject({ type: { kind: 'Pod', isNamespaced: true, version: 'v1' }, shortNames: ['po'] });
  expect(podResource?.subresources).toContain('status');
  expect(groups.map((group) => group.name)).toContain('batch');
  expect(await isServed(client, pods)).toBe(true);
  expect(await isServed(client, { ...pods, group: 'batch', plural: 'jobs' })).toBe(true);
  expect(await isServed(client, { ...pods, plural: 'things' })).toBe(false);
  expect(await isServed(client, { ...pods, group: 'nobody.io' })).toBe(false);
});

test('warnings of the server reach the caller', async () => {
  const texts: string[] = [];
  const { client: warned } = connect(plane, plane.admin, { onWarning: ({ text }) => texts.push(text) });
  await warned.getPath('/api/v1/componentstatuses');
  expect(texts).toEqual([expect.stringContaining('ComponentStatus is deprecated')]);
});

test('what the API server proxy has to say about a Service without endpoints is handed on', async () => {
  await client.create(resources.services, {
    metadata: { name: 'empty', namespace },
    spec: { ports: [{ port: 8265 }] },
  });
  const target = { kind: 'services', namespace, name: 'empty', port: 8265 } as const;
  const response = await sendThroughApiServer(transport, target, {
    method: 'POST',
    path: '/api/jobs/?x=1',
    headers: { authorization: 'Bearer for-ray' },
    body: '{}',
  });
  expect(response.status).toBe(404);
  expect(Buffer.from(response.body).toString()).toContain('services \\"empty\\" not found');
});
