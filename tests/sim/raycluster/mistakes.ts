import type { Environment, KubeObject, Pod, RayCluster } from '@manta/api';
import { type KubeClient, type Patch, resources, type ResourceType } from '@manta/kube';
import type { World } from '@manta/runtime';
import { type Lens, overriding, seeingThrough } from './client-lens.ts';

/** A mistake, and how the operator is brought to make it. */
interface Making {
  readonly says: string;
  readonly env?: Environment;
  readonly client?: (inner: KubeClient, world: World) => KubeClient;
}

const isPods = ({ plural }: ResourceType) => plural === 'pods';
const asMerge = (patch: unknown) =>
  (patch as Patch).body as { readonly metadata?: KubeObject['metadata']; readonly status?: RayCluster['status'] };
const isStatus = (options: unknown) => (options as { readonly subresource?: string }).subresource === 'status';
const seePods = (lens: Lens) => (inner: KubeClient) => seeingThrough(inner, 'pods', lens);
const seeClusters = (lens: Lens) => (inner: KubeClient) => seeingThrough(inner, 'rayclusters', lens);

/** Mistakes that operators are known for, one of which is put into this one at a time. */
export const MISTAKES = {
  'random-names': {
    says: 'makes up a new name for each try, so that a repeated create makes a second pod',
    client: withRandomNames,
  },
  'forgets-its-writes': {
    says: 'acts on a cache that has not seen its own last writes, and makes up names',
    client: (inner, world) => {
      const answers = overriding(inner, {
        create: async (original, type, ...rest) => {
          const made = (await original(type, ...rest)) as KubeObject;
          return isPods(type) ? { ...made, metadata: { ...made.metadata, resourceVersion: '1' } } : made;
        },
      });
      return withRandomNames(answers, world);
    },
  },
  'ignores-terminating': {
    says: 'takes pods that are on their way out for gone',
    client: seePods((event) =>
      event.object.metadata?.deletionTimestamp === undefined ? event : { ...event, type: 'DELETED' },
    ),
  },
  'random-delete': {
    says: 'chooses victims itself while the autoscaler is on',
    env: { ENABLE_RANDOM_POD_DELETE: 'true' },
  },
  impatient: {
    says: 'takes pods that have not started yet for failed ones',
    client: seePods((event) => {
      const { status } = event.object as Pod;
      return status?.phase === 'Pending' ? { ...event, object: withStatus(event.object, 'Failed') } : event;
    }),
  },
  boasts: {
    says: 'tells of one more ready worker than there is',
    client: (inner) =>
      overriding(inner, {
        patch: (original, type, ref, patch, options) => {
          const body = asMerge(patch);
          const ready = body.status?.readyWorkerReplicas;
          if (ready === undefined || ready === null) return original(type, ref, patch, options);
          const status = { ...body.status, readyWorkerReplicas: ready + 1 };
          return original(type, ref, { type: 'merge', body: { ...body, status } }, options);
        },
      }),
  },
  'forgets-deletions': {
    says: 'does not hear of pods that go',
    client: seePods((event) => (event.type === 'DELETED' ? undefined : event)),
  },
  overwrites: {
    says: 'writes the spec back as its cache has it',
    client: (inner) => {
      const specs = new Map<string | undefined, unknown>();
      const noting = seeClusters((event) => {
        specs.set(event.object.metadata?.name, (event.object as RayCluster).spec);
        return event;
      })(inner);
      return overriding(noting, {
        patch: async (original, type, ref, patch, options) => {
          const spec = specs.get((ref as { readonly name: string }).name);
          if (isStatus(options) && spec !== undefined) await original(type, ref, { type: 'merge', body: { spec } });
          return original(type, ref, patch, options);
        },
      });
    },
  },
  'finalizer-later': {
    says: 'makes pods before it has its finalizer',
    client: (inner) =>
      overriding(inner, {
        patch: (original, type, ref, patch, options) => {
          const isAdded = (asMerge(patch).metadata?.finalizers ?? []).length > 0;
          return isAdded
            ? inner.get(resources.rayClusters, ref as { readonly name: string })
            : original(type, ref, patch, options);
        },
      }),
  },
  'broad-delete': {
    says: 'removes the pods of a suspended cluster by a selector that is too wide',
    client: (inner) =>
      overriding(inner, {
        deleteCollection: (original, type, _selection, ...rest) =>
          original(type, { namespace: 'default', labelSelector: 'ray.io/node-type' }, ...rest),
      }),
  },
  'ignores-names': {
    says: 'does not read which workers the autoscaler has named',
    client: seeClusters((event) => ({ ...event, object: withoutNames(event.object) })),
  },
  'never-drains': {
    says: 'does not see pods of groups other than the first',
    client: seePods((event) => {
      const group = event.object.metadata?.labels?.['ray.io/group'];
      return group === 'y' || group === 'z' ? undefined : event;
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

export type Mistake = keyof typeof MISTAKES;

/** How an operator is brought to make it. */
export function makingOf(mistake: Mistake | undefined): Omit<Making, 'says'> {
  return mistake === undefined ? {} : MISTAKES[mistake];
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

function withStatus(object: KubeObject, phase: string): KubeObject {
  const { status } = object as Pod;
  return { ...object, status: { ...status, phase } } as KubeObject;
}

function withoutNames(object: KubeObject): KubeObject {
  const { spec } = object as RayCluster;
  const workerGroupSpecs = spec?.workerGroupSpecs?.map((group) => ({ ...group, scaleStrategy: {} }));
  return { ...object, spec: { ...spec, workerGroupSpecs } } as KubeObject;
}
