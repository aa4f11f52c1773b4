import type { KubeObject, Pod } from '@manta/api';
import { resources } from '@manta/kube';
import { deleteOwn, patchOwn, type Rewrite, updateOwn } from '@manta/plan';
import type { Entry, Informer } from '@manta/runtime';
import { FakeClient } from '@manta/runtime/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Rewriter, rewrite } from './rewrite.ts';

const OURS = 'cluster-uid';
const THEIRS = 'other-uid';
const reconciled = { kind: 'RayCluster', metadata: { name: 'c', namespace: 'ns', uid: OURS } };

let client: FakeClient;
/** What the cache shows. */
let entry: Entry<unknown> | undefined;

beforeEach(() => {
  client = new FakeClient();
  entry = undefined;
});

const rewriter = (): Rewriter => ({
  client,
  type: resources.pods,
  reconciled,
  informer: { entry: () => entry } as unknown as Informer,
  signal: new AbortController().signal,
});

function owned(uid: string | undefined): Pick<NonNullable<Pod['metadata']>, 'ownerReferences'> {
  const reference = { apiVersion: 'ray.io/v1', kind: 'RayCluster', name: 'c', controller: true };
  return { ownerReferences: uid === undefined ? [] : [{ ...reference, uid }] };
}

const create = (owner: string | undefined) =>
  client.create<Pod>(resources.pods, { metadata: { name: 'p', namespace: 'ns', ...owned(owner) } });
const live = () => client.get<Pod>(resources.pods, { namespace: 'ns', name: 'p' });
const touch = (metadata: object) =>
  client.patch(resources.pods, { namespace: 'ns', name: 'p' }, { type: 'merge', body: { metadata } });
const writes = () =>
  client.requests.filter(({ verb }) => ['update', 'patch', 'delete'].includes(verb)).map(({ verb }) => verb);

/** What a plan may ask for, made as if the object were its own: `owner` is what it takes the object's owner to be. */
const ASKED: Readonly<Record<Rewrite['type'], (pod: KubeObject, owner: string) => readonly Rewrite[]>> = {
  update: (pod, owner) => updateOwn(owner, 'Pod', pod, { ...pod, metadata: { ...pod.metadata, labels: { a: 'b' } } }),
  patch: (pod, owner) => patchOwn(owner, 'Pod', pod, { metadata: { labels: { a: 'b' } } }),
  delete: (pod, owner) => deleteOwn(owner, 'Pod', pod),
};
const KINDS = ['update', 'patch', 'delete'] as const;

function ask(kind: Rewrite['type'], pod: KubeObject, owner: string): Rewrite {
  const [action] = ASKED[kind](pod, owner);
  if (action === undefined) throw new Error('the plan itself asks for nothing');
  return action;
}

describe.each(KINDS)('%s', (kind) => {
  it('is refused where a plan asks for it on behalf of another owner', async () => {
    const action = ask(kind, await create(THEIRS), THEIRS);
    await expect(rewrite(action, rewriter())).rejects.toMatchObject({
      name: 'NotOurs',
      message: `the operator does not ${kind} Pod p, because RayCluster c is not its controller owner; rename or delete one of the two`,
    });
    expect(writes()).toEqual([]);
  });

  it('is refused where the cache shows by now that the object is no longer ours', async () => {
    const pod = await create(OURS);
    const { uid = '', resourceVersion = '' } = pod.metadata ?? {};
    entry = { uid, resourceVersion, record: { name: 'p', uid, owner: THEIRS } };
    await expect(rewrite(ask(kind, pod, OURS), rewriter())).rejects.toMatchObject({ name: 'NotOurs' });
    expect(writes()).toEqual([]);
  });

  it('needs one request where the object is as it was seen', async () => {
    const pod = await create(OURS);
    const before = client.requests.length;
    await rewrite(ask(kind, pod, OURS), rewriter());
    expect(client.requests.length - before).toBe(1);
  });

  it('leaves another object alone that has taken the name', async () => {
    const pod = await create(OURS);
    await client.delete(resources.pods, { namespace: 'ns', name: 'p' });
    const other = await create(THEIRS);
    await rewrite(ask(kind, pod, OURS), rewriter()).catch(() => undefined);
    expect(await live()).toEqual(other);
  });
});

describe.each(['patch', 'delete'] as const)('%s of an object that has changed since it was seen', (kind) => {
  it('is sent again while the object is still ours', async () => {
    const pod = await create(OURS);
    await touch({ labels: { changed: 'yes' } });
    await rewrite(ask(kind, pod, OURS), rewriter());
    const after = await live().catch(() => undefined);
    expect(after?.metadata?.labels).toEqual(kind === 'patch' ? { changed: 'yes', a: 'b' } : undefined);
  });

  it('is refused once the object is no longer ours', async () => {
    const pod = await create(OURS);
    await touch(owned(THEIRS));
    await expect(rewrite(ask(kind, pod, OURS), rewriter())).rejects.toMatchObject({ name: 'NotOurs' });
    expect((await live()).metadata?.labels).toBeUndefined();
  });

  it('uses the version that the cache shows by now', async () => {
    const pod = await create(OURS);
    const changed = await touch({ labels: { changed: 'yes' } });
    const { uid = '', resourceVersion = '' } = changed.metadata ?? {};
    entry = { uid, resourceVersion, record: changed };
    const before = client.requests.length;
    await rewrite(ask(kind, pod, OURS), rewriter());
    expect(client.requests.length - before).toBe(1);
  });
});
