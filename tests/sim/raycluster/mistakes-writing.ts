import type { KubeObject, RayCluster } from '@manta/api';
import { type KubeClient, type Patch, resources, type ResourceType } from '@manta/kube';
import type { World } from '@manta/runtime';
import { overriding, seeingThrough } from './client-lens.ts';
import type { Making } from './making.ts';

const isPods = ({ plural }: ResourceType) => plural === 'pods';
const asMerge = (patch: unknown) =>
  (patch as Patch).body as { readonly metadata?: KubeObject['metadata']; readonly status?: RayCluster['status'] };
const isStatus = (options: unknown) => (options as { readonly subresource?: string }).subresource === 'status';
type Ref = { readonly name: string };

/** Mistakes of operators that write something else than they should. */
export const WRITING = {
  'random-names': {
    says: 'makes up a new name for each try, so that a repeated create makes a second pod',
    client: withRandomNames,
  },
  'no-barrier': {
    says: 'acts on a cache that has not seen the pods that it has made',
    client: withoutVersions('create'),
  },
  'no-expected-deletions': {
    says: 'acts on a cache that has not seen which pods it has sent away',
    client: withoutVersions('delete'),
  },
  'forgets-its-writes': {
    says: 'acts on a cache that has not seen its own last writes, and makes up names',
    client: (inner, world) => withRandomNames(withoutVersions('create')(inner), world),
  },
  'random-delete': {
    says: 'chooses victims itself while the autoscaler is on',
    env: { ENABLE_RANDOM_POD_DELETE: 'true' },
  },
  boasts: {
    says: 'tells of one more ready worker than there is',
    client: withStatus((status) =>
      status.readyWorkerReplicas === undefined || status.readyWorkerReplicas === null
        ? status
        : { ...status, readyWorkerReplicas: status.readyWorkerReplicas + 1 },
    ),
  },
  foresees: {
    says: 'tells of a generation that is not there yet',
    client: withStatus((status) =>
      status.observedGeneration === undefined
        ? status
        : { ...status, observedGeneration: status.observedGeneration + 1 },
    ),
  },
  overwrites: {
    says: 'writes the spec back as its cache has it',
    client: overwriting,
  },
  'finalizer-later': {
    says: 'makes pods before it has its finalizer',
    client: withoutPatches(({ metadata }) => (metadata?.finalizers ?? []).length > 0),
  },
  'finalizer-forever': {
    says: 'never gives up its finalizer',
    client: withoutPatches(({ metadata }) => metadata?.finalizers?.length === 0),
  },
  'broad-delete': {
    says: 'removes pods by a selector that is too wide',
    client: (inner) =>
      overriding(inner, {
        delete: async (original, type, ...rest) => {
          const selection = { namespace: 'default', labelSelector: 'ray.io/node-type' };
          if (isPods(type)) await inner.deleteCollection(type, selection).catch(() => undefined);
          return original(type, ...rest);
        },
      }),
  },
  'half-a-suspension': {
    says: 'suspends workers and leaves the head',
    client: (inner) =>
      overriding(inner, {
        delete: (original, type, ref, ...rest) =>
          isPods(type) && (ref as Ref).name.includes('-head-')
            ? inner.get(type, ref as Ref)
            : original(type, ref, ...rest),
      }),
  },
  disowns: {
    says: 'makes pods that do not go with their cluster',
    client: (inner) =>
      overriding(inner, {
        create: (original, type, object, ...rest) => {
          const { ownerReferences: _, ...metadata } = (object as KubeObject).metadata ?? {};
          return original(type, isPods(type) ? { ...(object as KubeObject), metadata } : object, ...rest);
        },
      }),
  },
  'writes-twice': {
    says: 'writes each status twice',
    client: (inner) =>
      overriding(inner, {
        patch: async (original, type, ref, patch, options) => {
          const written = await original(type, ref, patch, options);
          const { metadata: _, ...body } = asMerge(patch);
          return isStatus(options) ? original(type, ref, { type: 'merge', body }, options) : written;
        },
      }),
  },
  storms: {
    says: 'tries a refused create again at once, many times',
    client: (inner) =>
      overriding(inner, {
        create: async (original, type, ...rest) => {
          for (let tries = isPods(type) ? 100 : 1; tries > 1; tries -= 1) {
            const made = await Promise.resolve(original(type, ...rest)).catch(() => undefined);
            if (made !== undefined) return made;
          }
          return original(type, ...rest);
        },
      }),
  },
  restless: {
    says: 'writes although nothing has changed',
    client: (inner, { clock }) => {
      const touch = () => {
        const annotations = { 'test.manta.dev/looked-at': String(clock.now()) };
        const patch = { type: 'merge', body: { metadata: { annotations } } } as const;
        void inner.patch(resources.rayClusters, { name: 'a', namespace: 'default' }, patch).catch(() => undefined);
        clock.setTimer(100_000, touch);
      };
      clock.setTimer(100_000, touch);
      return inner;
    },
  },
} as const satisfies Readonly<Record<string, Making>>;

/** What the server answers carries the oldest version there is, which every cache has seen. */
function withoutVersions(method: 'create' | 'delete'): (inner: KubeClient) => KubeClient {
  return (inner) =>
    overriding(inner, {
      [method]: async (original: (...args: readonly unknown[]) => unknown, type: ResourceType, ...rest: unknown[]) => {
        const answer = (await original(type, ...rest)) as KubeObject;
        if (!isPods(type) || answer.metadata === undefined) return answer;
        return { ...answer, metadata: { ...answer.metadata, resourceVersion: '1' } };
      },
    });
}

function withStatus(
  change: (status: NonNullable<RayCluster['status']>) => NonNullable<RayCluster['status']>,
): (inner: KubeClient) => KubeClient {
  return (inner) =>
    overriding(inner, {
      patch: (original, type, ref, patch, options) => {
        const { status, ...body } = asMerge(patch);
        if (status === undefined) return original(type, ref, patch, options);
        return original(type, ref, { type: 'merge', body: { ...body, status: change(status) } }, options);
      },
    });
}

/** Some patches are not sent, and taken for done. */
function withoutPatches(isMeant: (body: ReturnType<typeof asMerge>) => boolean): (inner: KubeClient) => KubeClient {
  return (inner) =>
    overriding(inner, {
      patch: (original, type, ref, patch, options) =>
        isMeant(asMerge(patch)) ? inner.get(type, ref as Ref) : original(type, ref, patch, options),
    });
}

function overwriting(inner: KubeClient): KubeClient {
  const specs = new Map<string | undefined, unknown>();
  const noting = seeingThrough(inner, 'rayclusters', (event) => {
    specs.set(event.object.metadata?.name, (event.object as RayCluster).spec);
    return event;
  });
  return overriding(noting, {
    patch: async (original, type, ref, patch, options) => {
      const spec = specs.get((ref as Ref).name);
      if (isStatus(options) && spec !== undefined) await original(type, ref, { type: 'merge', body: { spec } });
      return original(type, ref, patch, options);
    },
  });
}

function withRandomNames(inner: KubeClient, { random }: World): KubeClient {
  return overriding(inner, {
    create: (original, type, object, ...rest) =>
      original(type, isPods(type) ? renamed(object as KubeObject, random) : object, ...rest),
  });
}

function renamed(object: KubeObject, random: () => number): KubeObject {
  const { name = '' } = object.metadata ?? {};
  const suffix = String(Math.floor(random() * 1e5)).padStart(5, '0');
  return { ...object, metadata: { ...object.metadata, name: `${name.slice(0, -5)}${suffix}` } };
}
