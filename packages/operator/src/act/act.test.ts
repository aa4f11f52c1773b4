import type { KubeObject } from '@manta/api';
import { ApiError, resources, TransportError } from '@manta/kube';
import { type CreateAction, deleteOwn, patchOwn, patchSelf, updateOwn } from '@manta/plan';
import { type EventInput, type Informer, OutdatedError, type ReconcileContext } from '@manta/runtime';
import { FakeClient } from '@manta/runtime/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { act } from './act.ts';
import type { Actor } from './actor.ts';
import { writeStatus } from './write-status.ts';

/** Stands for an informer that has not seen anything: only its identity matters here. */
const informer = { type: resources.pods, entry: () => undefined } as unknown as Informer;

let client: FakeClient;
let owner: KubeObject;
let actor: Actor;
/** What the barrier was told. */
let told: string[];
let events: EventInput[];
let stop: AbortController;

const context = (): Actor['context'] => ({
  signal: stop.signal,
  log: { warn: () => undefined } as unknown as ReconcileContext['log'],
  wrote: (_, { kind, metadata }) => told.push(`wrote ${kind} ${metadata?.name}@${metadata?.resourceVersion}`),
  deleted: (_, key, uid, answer) => told.push(`deleted ${key} ${uid} ${answer.kind}`),
});

beforeEach(async () => {
  client = new FakeClient();
  told = [];
  events = [];
  stop = new AbortController();
  owner = await client.create(resources.rayClusters, cluster());
  actor = {
    client,
    clock: { now: () => 0 },
    kind: 'RayCluster',
    object: owner,
    events: { event: (input) => void events.push(input) },
    context: context(),
    informerOf: () => informer,
  };
});

const cluster = (): KubeObject => ({
  apiVersion: 'ray.io/v1',
  kind: 'RayCluster',
  metadata: { name: 'a', namespace: 'ns' },
});

function pod(name: string, ownerUid = owner.metadata?.uid ?? ''): KubeObject {
  const ownerReferences = [{ apiVersion: 'ray.io/v1', kind: 'RayCluster', name: 'a', uid: ownerUid, controller: true }];
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'ns', ownerReferences } };
}

const create = (...names: readonly string[]): CreateAction => ({
  type: 'create',
  kind: 'Pod',
  objects: names.map((name) => pod(name)),
  whenExists: 'fine-if-ours',
  done: { severity: 'Normal', reason: 'CreatedPod', action: 'Create', note: 'Created %n' },
});

/** The owner itself was created, too. */
const OWNER = 1;
const many = (count: number) => Array.from({ length: count }, (_, index) => `w-${index}`);
const asked = (wanted: string) => client.requests.filter(({ verb }) => verb === wanted).length;
const namesOf = async () => (await client.list(resources.pods)).items.map(({ metadata }) => metadata?.name);

describe('creating', () => {
  it('tells the barrier of every object and the user of each by name', async () => {
    expect(await act([create('w-0', 'w-1')], actor)).toEqual({ kind: 'done' });
    expect(told).toEqual(['wrote Pod w-0@1002', 'wrote Pod w-1@1003']);
    expect(events.map(({ note }) => note)).toEqual(['Created w-0', 'Created w-1']);
  });

  it('lets others go first from the ninth on', async () => {
    const bulk: (boolean | undefined)[] = [];
    const createReally = client.create.bind(client);
    client.create = (type, object, options) => {
      bulk.push(options?.isBulk);
      return createReally(type, object, options);
    };
    await act([create(...many(10))], actor);
    expect(bulk).toEqual([...Array.from({ length: 8 }, () => false), true, true]);
  });

  it('takes an object that it made before for made, waits until the cache shows it, and does not tell of it again', async () => {
    await client.create(resources.pods, pod('w-0'));
    expect(await act([create('w-0')], actor)).toEqual({ kind: 'done' });
    expect(told).toEqual(['wrote Pod w-0@1002']);
    expect(events).toEqual([]);
  });

  it("fails on an object of the same name that is another owner's", async () => {
    await client.create(resources.pods, pod('w-0', 'another'));
    expect(await act([create('w-0')], actor)).toMatchObject({
      kind: 'failed',
      message: expect.stringMatching(/exists/),
    });
    expect(told).toEqual([]);
  });

  it('waits quietly while an object of ours with that name is still ending', async () => {
    const ending = pod('w-0');
    await client.create(resources.pods, { ...ending, metadata: { ...ending.metadata, finalizers: ['x/y'] } });
    await client.delete(resources.pods, { namespace: 'ns', name: 'w-0' });
    expect(await act([create('w-0')], actor)).toEqual({ kind: 'waiting', message: 'Pod w-0 is still being deleted' });
    expect(events).toEqual([]);
  });

  it('is refused once, not for every object, and ends the plan', async () => {
    client.faults.onRequest = ({ verb }) => {
      if (verb === 'create') throw new TransportError('exceeded quota');
    };
    const failing = { ...create(...many(500)), failure: 'FailedCreateWorkerPod' };
    const outcome = { kind: 'failed', message: 'exceeded quota', failure: 'FailedCreateWorkerPod' };
    expect(await act([failing, create('later')], actor)).toEqual(outcome);
    expect(asked('create')).toBe(1 + OWNER);
  });

  it('that nothing depends on stops nothing, and is told in the end with every group that was refused', async () => {
    client.faults.onRequest = ({ verb, path }) => {
      if (verb === 'create' && path.includes('/pods')) throw new TransportError('exceeded quota');
    };
    const refused = (group: string) => ({ ...create('w-0'), group, failure: 'F', continueOnFailure: true });
    const wait = { type: 'wait', message: 'later', requeueAfterMs: 5 } as const;
    const service = { ...create('s'), kind: 'Service' as const, objects: [{ ...pod('s'), kind: 'Service' }] };
    expect(await act([refused('a'), wait, refused('b'), service], actor)).toEqual({
      kind: 'failed',
      message: 'exceeded quota',
      failure: 'F',
      refusedGroups: ['a', 'b'],
    });
    expect((await client.list(resources.services)).items).toHaveLength(1);
  });

  it('that is put off is told as waiting, with the time of the first that may be tried', async () => {
    const wait = (requeueAfterMs: number) =>
      ({ type: 'wait', message: `in ${requeueAfterMs}`, requeueAfterMs }) as const;
    const outcome = { kind: 'waiting', message: 'in 5', requeueAfterMs: 5 };
    expect(await act([wait(9), create('w-0'), wait(5), wait(7)], actor)).toEqual(outcome);
    expect(await namesOf()).toEqual(['w-0']);
  });

  it('names the permission that is missing, also for an optional step', async () => {
    client.faults.onRequest = ({ verb }) => {
      if (verb !== 'create') return;
      const message = 'pods is forbidden: User "u" cannot create resource "pods" in API group "" in the namespace "ns"';
      throw new ApiError({ method: 'POST', path: '' }, 403, message);
    };
    const missingPermissions = ['create pods in ns (rule: apiGroups [""], resources ["pods"], verbs ["create"])'];
    expect(await act([{ ...create('w-0'), isOptional: true }], actor)).toEqual({ kind: 'done', missingPermissions });
    expect(await act([create('w-0')], actor)).toMatchObject({ kind: 'failed', missingPermissions });
    expect(await act([{ ...create('w-0'), mayBeForbidden: true }], actor)).toEqual({
      kind: 'done',
      missingPermissions,
    });
  });

  it('fails for any other reason where a step may be forbidden', async () => {
    client.faults.onRequest = () => {
      throw new ApiError({ method: 'POST', path: '' }, 500, 'etcd is away');
    };
    expect(await act([{ ...create('w-0'), mayBeForbidden: true }], actor)).toMatchObject({ kind: 'failed' });
  });

  it('makes no second object when the answer to the first was lost, and tells the barrier once it knows', async () => {
    let isLost = true;
    const unlucky: Actor = {
      ...actor,
      client: Object.create(client, {
        create: {
          value: async (...args: Parameters<FakeClient['create']>) => {
            const made = await client.create(...args);
            if (isLost) throw new TransportError('no answer came');
            return made;
          },
        },
        get: { value: client.get.bind(client) },
      }),
    };
    expect(await act([create('w-0')], unlucky)).toMatchObject({ kind: 'failed' });
    isLost = false;
    expect(await act([create('w-0')], unlucky)).toEqual({ kind: 'done' });
    expect(await namesOf()).toEqual(['w-0']);
    expect(told).toEqual(['wrote Pod w-0@1002']);
  });

  it('remembers what was made when another create of the same batch is refused, and begins no further batch', async () => {
    client.faults.onRequest = () => {
      if (client.requests.length === 4) throw new TransportError('refused');
    };
    const names = ['w-0', 'w-1', 'w-2', 'w-3', 'w-4', 'w-5'];
    expect(await act([create(...names)], actor)).toMatchObject({ kind: 'failed' });
    expect(told).toHaveLength(2);
    expect(await namesOf()).toHaveLength(2);
  });
});

/** Deletes a pod of the owner's. */
const remove = (name: string, uid: string) =>
  deleteOwn(owner.metadata?.uid ?? '', 'Pod', { name, uid, owner: owner.metadata?.uid });

describe('deleting', () => {
  it('deletes the object that was seen and waits until the cache shows it', async () => {
    const { metadata } = await client.create(resources.pods, pod('w-0'));
    expect(await act(remove('w-0', metadata?.uid ?? ''), actor)).toEqual({ kind: 'done' });
    expect(await namesOf()).toEqual([]);
    expect(told).toEqual([`deleted ns/w-0 ${metadata?.uid} Status`]);
  });

  it.each([
    ['is gone already', false],
    ['has made way for another one of its name', true],
  ])('leaves alone what %s, and waits for a cache that still shows it', async (_, hasSuccessor) => {
    if (hasSuccessor) await client.create(resources.pods, pod('w-0'));
    expect(await act(remove('w-0', 'seen'), actor)).toEqual({ kind: 'done' });
    expect(await namesOf()).toEqual(hasSuccessor ? ['w-0'] : []);
    expect(told).toEqual(['deleted ns/w-0 seen Status']);
  });

  it('does not take another conflict for the end of the object', async () => {
    const { metadata } = await client.create(resources.pods, pod('w-0'));
    const busy = new ApiError({ method: 'DELETE', path: '/x' }, 409, 'the object is locked', {
      kind: 'Status',
      reason: 'Conflict',
    });
    const refusing = Object.create(client, {
      delete: { value: () => Promise.reject(busy) },
      get: { value: client.get.bind(client) },
    });
    await expect(act(remove('w-0', metadata?.uid ?? ''), { ...actor, client: refusing })).rejects.toThrow('locked');
    expect(told).toEqual([]);
  });
});

describe('deleting many', () => {
  it('runs in growing batches', async () => {
    const made = await Promise.all(many(20).map((name) => client.create(resources.pods, pod(name))));
    let underWay = 0;
    let most = 0;
    const slow = Object.create(client, {
      delete: {
        value: async (...args: Parameters<FakeClient['delete']>) => {
          underWay += 1;
          most = Math.max(most, underWay);
          await Promise.resolve();
          underWay -= 1;
          return client.delete(...args);
        },
      },
    });
    const actions = made.flatMap(({ metadata }) => remove(metadata?.name ?? '', metadata?.uid ?? ''));
    expect(await act(actions, { ...actor, client: slow })).toEqual({ kind: 'done' });
    expect(await namesOf()).toEqual([]);
    expect(most).toBe(8);
  });

  it('ends with the first refusal, and so does the plan', async () => {
    client.faults.onRequest = ({ verb }) => {
      if (verb === 'delete') throw new TransportError('refused');
    };
    const actions = many(100)
      .flatMap((name) => remove(name, 'u'))
      .map((action) => ({ ...action, failure: 'FailedDeleteWorkerPod' }));
    expect(await act([...actions, create('later')], actor)).toMatchObject({ failure: 'FailedDeleteWorkerPod' });
    expect(asked('delete')).toBe(1);
    expect(await namesOf()).toEqual([]);
  });
});

describe('changing what has changed meanwhile', () => {
  const conflicting = { metadata: { resourceVersion: 'old' } };

  it('makes the plan an old one: nobody is told of it, and the next pass decides', async () => {
    const failed = { severity: 'Warning', reason: 'Failed', action: 'Update', note: 'no' } as const;
    const patch = patchSelf('RayCluster', owner, conflicting, { failed });
    await expect(act([patch], actor)).rejects.toMatchObject({ reason: 'Conflict' });
    const live = await client.create(resources.ingresses, pod('i'));
    const object = { metadata: { ...live.metadata, ...conflicting.metadata } };
    const update = updateOwn(owner.metadata?.uid ?? '', 'Ingress', live, object, { failed });
    await expect(act(update, actor)).rejects.toMatchObject({ reason: 'Conflict' });
    expect(events).toEqual([]);
  });

  it('is seen just before something is made: nobody is told, and the next pass decides', async () => {
    const failed = { severity: 'Warning', reason: 'Failed', action: 'Create', note: 'no' } as const;
    const seen: (string | undefined)[] = [];
    const isOutdated = ({ group }: CreateAction) => seen.push(group) === 2;
    const groups = ['one', 'two', 'three'].map((group) => ({ ...create(group), failed, group }));
    await expect(act(groups, { ...actor, isOutdated })).rejects.toBeInstanceOf(OutdatedError);
    expect(seen).toEqual(['one', 'two']);
    expect(await namesOf()).toEqual(['one']);
    expect(events.map(({ note }) => note)).toEqual(['Created one']);
  });

  it('stops nothing where it is optional', async () => {
    const patch = patchSelf('RayCluster', owner, conflicting, { isOptional: true });
    expect(await act([patch, create('w-0')], actor)).toEqual({ kind: 'done' });
  });
});

describe('letting go', () => {
  it('of the last finalizer waits until the cache shows the end of the object', async () => {
    const held = { ...cluster(), metadata: { name: 'b', namespace: 'ns', finalizers: ['x/y'] } };
    const object = await client.create(resources.rayClusters, held);
    await client.delete(resources.rayClusters, { namespace: 'ns', name: 'b' });
    const release = patchSelf('RayCluster', object, { metadata: { finalizers: null } });
    expect(await act([release], { ...actor, object })).toEqual({ kind: 'done' });
    expect(told).toEqual([`deleted ns/b ${object.metadata?.uid} Status`]);
  });
});

describe('writeStatus()', () => {
  it('sends nothing when nothing changed', async () => {
    await writeStatus(actor, { state: 'ready' }, { state: 'ready' });
    expect(client.requests.filter(({ verb }) => verb === 'patch')).toEqual([]);
  });

  it('writes on top of our own earlier write to the object, and waits for the cache to show it', async () => {
    const finalizers = patchSelf('RayCluster', owner, { metadata: { finalizers: ['x/y'] } });
    expect(await act([finalizers], actor)).toEqual({ kind: 'done' });
    await writeStatus(actor, undefined, { state: 'ready' });
    expect(await client.get(resources.rayClusters, { namespace: 'ns', name: 'a' })).toMatchObject({
      status: { state: 'ready' },
    });
    expect(told).toEqual(['wrote RayCluster a@1002', 'wrote RayCluster a@1003']);
  });

  it('never lands on another object that has taken the name', async () => {
    await client.delete(resources.rayClusters, { namespace: 'ns', name: 'a' });
    await client.create(resources.rayClusters, cluster());
    await expect(writeStatus(actor, undefined, { state: 'ready' })).rejects.toBeInstanceOf(OutdatedError);
    expect(await client.get(resources.rayClusters, { namespace: 'ns', name: 'a' })).not.toHaveProperty('status');
    expect(told).toEqual([`deleted ns/a ${owner.metadata?.uid} Status`]);
  });

  it('of an object that has changed waits for nothing but the next try', async () => {
    const metadata = { labels: { a: 'b' } };
    await client.patch(resources.rayClusters, { namespace: 'ns', name: 'a' }, { type: 'merge', body: { metadata } });
    await expect(writeStatus(actor, undefined, { state: 'ready' })).rejects.toMatchObject({ reason: 'Conflict' });
    expect(told).toEqual([]);
  });

  it('of an object that is gone waits for the cache to show its end', async () => {
    await client.delete(resources.rayClusters, { namespace: 'ns', name: 'a' });
    await expect(writeStatus(actor, undefined, { state: 'ready' })).rejects.toBeInstanceOf(OutdatedError);
    expect(told).toEqual([`deleted ns/a ${owner.metadata?.uid} Status`]);
  });
});

describe('a namespace that is being deleted', () => {
  const message =
    'pods "w-0" is forbidden: unable to create new content in namespace ns because it is being terminated';
  const terminating = () => {
    const causes = [{ reason: 'NamespaceTerminating', message: 'namespace ns is being terminated' }];
    const status = { kind: 'Status', reason: 'Forbidden', details: { causes } } as const;
    return new ApiError({ method: 'POST', path: '/api/v1/namespaces/ns/pods' }, 403, message, status);
  };
  const failed = { severity: 'Warning', reason: 'FailedToCreateHeadPod', action: 'Create', note: 'Failed' } as const;

  it('makes a create wait for a minute, without an event and without further creates', async () => {
    client.faults.onRequest = ({ verb }) => {
      if (verb === 'create') throw terminating();
    };
    const actions = [{ ...create('w-0'), failed, group: 'small' }, create('w-1')];
    expect(await act(actions, actor)).toEqual({
      kind: 'waiting',
      message,
      requeueAfterMs: 60_000,
      refusedGroups: ['small'],
    });
    expect(events).toEqual([]);
    expect(asked('create')).toBe(OWNER + 1);
  });

  it('does not stop what follows an optional create', async () => {
    client.faults.onRequest = ({ verb, path }) => {
      if (verb === 'create' && path.includes('/services')) throw terminating();
    };
    const optional = { ...create(), kind: 'Service', objects: [pod('s')], isOptional: true, failed } as const;
    expect(await act([optional, create('w-0')], actor)).toMatchObject({ kind: 'waiting' });
    expect(await namesOf()).toEqual(['w-0']);
  });
});

describe('an object that was deleted meanwhile', () => {
  it('makes a plan that patches it outdated, which is not an error', async () => {
    const uid = owner.metadata?.uid ?? '';
    const missing = patchOwn(uid, 'Pod', { name: 'nobody', uid: 'u', owner: uid }, {});
    await expect(act([...missing, create('w-1')], actor)).rejects.toBeInstanceOf(OutdatedError);
    expect(await namesOf()).toEqual([]);
  });
});

describe('a plan that is cut short', () => {
  it('ends with the reason, so that no status is written from half of it', async () => {
    client.faults.onRequest = () => {
      stop.abort(new Error('leader election lost'));
      throw stop.signal.reason;
    };
    await expect(act([create('w-0'), create('w-1')], actor)).rejects.toThrow('leader election lost');
    expect(client.requests).toHaveLength(2);
  });

  it('goes on after an optional step that failed, and stops at any other', async () => {
    const uid = owner.metadata?.uid ?? '';
    const missing = patchOwn(uid, 'Pod', { name: 'nobody', uid: 'u', owner: uid }, {}, { isOptional: true });
    expect(await act([...missing, create('w-0')], actor)).toEqual({ kind: 'done' });
    const refused = { ...create('w-1'), whenExists: 'failure' } as const;
    await client.create(resources.pods, pod('w-1'));
    expect(await act([refused, create('w-2')], actor)).toMatchObject({ kind: 'failed' });
    await client.delete(resources.pods, { namespace: 'ns', name: 'w-1' });
    expect(await namesOf()).toEqual(['w-0']);
  });
});
