import type { KubeObject, RayCronJob, RayJob } from '@manta/api';
import { type Clock, type KubeClient, type Patch, type ResourceType } from '@manta/kube';
import type { World } from '@manta/runtime';
import { type Lens, overriding, seeingThrough } from '../raycluster/client-lens.ts';

/** A mistake, and how the operator is brought to make it. */
interface Making {
  readonly says: string;
  readonly client?: (inner: KubeClient, world: World) => KubeClient;
  readonly clock?: (inner: Clock) => Clock;
}

const seeJobs = (lens: Lens) => (inner: KubeClient) => seeingThrough(inner, 'rayjobs', lens);
const seeCronJobs = (lens: Lens) => (inner: KubeClient) => seeingThrough(inner, 'raycronjobs', lens);
const bodyOf = (patch: unknown) => (patch as Patch).body as Pick<RayCronJob, 'metadata' | 'status'>;
const isJobs = ({ plural }: ResourceType) => plural === 'rayjobs';
const withMetadata = (object: KubeObject, metadata: KubeObject['metadata']): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, ...metadata },
});

/** Mistakes that schedulers are known for, one of which is put into this one at a time. */
export const MISTAKES = {
  'random-names': {
    says: 'makes up a new name for each try, so that a repeated create makes a second RayJob',
    client: (inner, { random }) =>
      overriding(inner, {
        create: (original, type, object, ...rest) => {
          const given = object as KubeObject;
          const name = `${given.metadata?.name ?? ''}-${Math.floor(random() * 1e6)}`;
          return original(type, isJobs(type) ? withMetadata(given, { name }) : given, ...rest);
        },
      }),
  },
  'counts-first': {
    says: 'counts a time as served though its RayJob was refused',
    client: (inner) =>
      overriding(inner, {
        create: async (original, type, object, ...rest) => {
          try {
            return await original(type, object, ...rest);
          } catch (error) {
            if (!isJobs(type)) throw error;
            return object;
          }
        },
      }),
  },
  'forgets-what-it-served': {
    says: 'counts from its creation whenever it looks',
    client: seeCronJobs((event) => {
      const { status: _, ...object } = event.object as RayCronJob;
      return { ...event, object };
    }),
  },
  hasty: {
    says: 'serves times five minutes before they come',
    clock: (inner) => ({ ...inner, now: () => inner.now() + 300_000 }),
  },
  sleepy: {
    says: 'skips a time now and then',
    client: (inner) =>
      overriding(inner, {
        patch: (original, type, ref, patch, options) => {
          const body = bodyOf(patch);
          const served = Date.parse(body.status?.lastScheduleTime ?? '');
          if (Number.isNaN(served)) return original(type, ref, patch, options);
          const status = { lastScheduleTime: new Date(served + 60_000).toISOString() };
          return original(type, ref, { type: 'merge', body: { ...body, status } }, options);
        },
      }),
  },
  'blind-writes': {
    says: 'writes its status whatever has happened to the object meanwhile',
    client: (inner) =>
      overriding(inner, {
        patch: (original, type, ref, patch, options) => {
          const { status } = bodyOf(patch);
          return original(type, ref, { type: 'merge', body: { status } }, options);
        },
      }),
  },
  'sees-no-children': {
    says: 'does not see the RayJobs that it made',
    client: seeJobs(() => undefined),
  },
  'sees-no-end': {
    says: 'does not see that RayJobs end',
    client: seeJobs((event) => {
      const { status: _, ...object } = event.object as RayJob;
      return { ...event, object };
    }),
  },
  'takes-running-for-ended': {
    says: 'takes RayJobs that run for ones that have ended',
    client: seeJobs((event) => ({
      ...event,
      object: { ...event.object, status: { jobDeploymentStatus: 'Complete' } } as RayJob,
    })),
  },
  'takes-the-label': {
    says: 'takes every RayJob with its label for its own',
    client: (inner) => {
      let owner: KubeObject | undefined;
      const noting = seeCronJobs((event) => {
        if (event.object.metadata?.name === 'a') owner = event.object;
        return event;
      })(inner);
      return seeJobs((event) => {
        const { name = '', uid = '' } = owner?.metadata ?? {};
        const ours = [{ apiVersion: 'ray.io/v1', kind: 'RayCronJob', name, uid, controller: true }];
        return { ...event, object: withMetadata(event.object, { ownerReferences: ours }) };
      })(noting);
    },
  },
} as const satisfies Readonly<Record<string, Making>>;

export type Mistake = keyof typeof MISTAKES;

/** How a mistake is made; nothing special where there is none. */
export function makingOf(mistake: Mistake | undefined): Partial<Making> {
  return mistake === undefined ? {} : MISTAKES[mistake];
}
