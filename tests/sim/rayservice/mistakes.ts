import type { KubeObject, RayService } from '@manta/api';
import { type KubeClient, type Patch, resources, type ResourceType } from '@manta/kube';
import type { RayResponse, RaySend } from '@manta/ray';
import type { World } from '@manta/runtime';
import { type Lens, overriding, seeingThrough } from '../raycluster/client-lens.ts';
import type { Serve } from './serve.ts';
import { asRoute, configOf, NAMESPACE, SERVICE, STRANGER } from './stage.ts';

/** A mistake, and how the operator is brought to make it. */
interface Making {
  readonly says: string;
  readonly client?: (inner: KubeClient, world: World) => KubeClient;
  readonly send?: (inner: RaySend) => RaySend;
}

const see = (plural: string, lens: Lens) => (inner: KubeClient) => seeingThrough(inner, plural, lens);
/** Mistakes that could be made with traffic, one of which is put into the operator at a time. */
export const MISTAKES = {
  'takes-deploying-for-running': {
    says: 'sends traffic to applications that are still being deployed',
    send: hearing((text) => text.replaceAll('DEPLOYING', 'RUNNING')),
  },
  'takes-failed-for-running': {
    says: 'sends traffic to applications that have failed to deploy',
    send: hearing((text) => text.replaceAll(/DEPLOY_FAILED|DEPLOYING/g, 'RUNNING')),
  },
  'counts-badly': {
    says: 'gives out more than a hundred percent',
    client: changingRoutes((weights) => weights.map((weight) => (weight > 0 ? weight + 1 : 0))),
  },
  'all-at-once': {
    says: 'moves all the traffic as soon as it may move some',
    client: changingRoutes(([active = 0, pending = 0]) => (pending > 0 ? [0, 100] : [active, pending])),
  },
  'never-moves': {
    says: 'never changes the shares of a route',
    client: (inner) =>
      overriding(inner, {
        update: (original, type, object, ...rest) =>
          isKind(type, 'httproutes')
            ? inner.get(type, { name: (object as KubeObject).metadata?.name ?? '', namespace: NAMESPACE })
            : original(type, object, ...rest),
      }),
  },
  'takes-more-than-there-is': {
    says: 'gives one cluster more than all, and the other less than nothing',
    client: changingRoutes(([active = 0, pending = 0]) => [active + 10, pending - 10]),
  },
  'always-rests': {
    says: 'takes every service for a suspended one',
    client: see('rayservices', (event) => {
      const { spec } = event.object as RayService;
      return { ...event, object: { ...event.object, spec: { ...spec, suspend: true } } as KubeObject };
    }),
  },
  'two-at-a-time': {
    says: 'makes a second cluster to be on the safe side',
    client: (inner) =>
      overriding(inner, {
        create: async (original, type, object, ...rest) => {
          const made = await original(type, object, ...rest);
          const { metadata } = object as KubeObject;
          const twin = { ...(object as KubeObject), metadata: { ...metadata, name: `${metadata?.name ?? ''}-b` } };
          if (isKind(type, 'rayclusters')) await original(type, twin, ...rest);
          return made;
        },
      }),
  },
  'forgets-the-head-service': {
    says: 'lets the Service of the head lead to the old cluster',
    client: (inner) =>
      overriding(inner, {
        update: (original, type, object, ...rest) =>
          isKind(type, 'services') && (object as KubeObject).metadata?.name === `${SERVICE}-head-svc`
            ? inner.get(resources.services, { name: `${SERVICE}-head-svc`, namespace: NAMESPACE })
            : original(type, object, ...rest),
      }),
  },
  'takes-the-label': {
    says: 'takes clusters that carry its label for its own',
    client: (inner) => {
      const owner = { apiVersion: 'ray.io/v1', kind: 'RayService', name: SERVICE, controller: true };
      let uid = '';
      const noting = see('rayservices', (event) => {
        uid = event.object.metadata?.uid ?? uid;
        return event;
      })(inner);
      return see('rayclusters', (event) => {
        if (event.object.metadata?.name !== STRANGER) return event;
        const metadata = { ...event.object.metadata, ownerReferences: [{ ...owner, uid }] };
        return { ...event, object: { ...event.object, metadata } };
      })(noting);
    },
  },
  'random-names': {
    says: 'makes up a name with each try',
    client: (inner) => {
      let count = 0;
      return overriding(inner, {
        create: (original, type, object, ...rest) => {
          const { metadata } = object as KubeObject;
          const name = `${metadata?.name ?? ''}-${(count += 1)}`;
          const renamed = { ...(object as KubeObject), metadata: { ...metadata, name } };
          return original(type, isKind(type, 'rayclusters') ? renamed : object, ...rest);
        },
      });
    },
  },
  'never-deletes': {
    says: 'leaves clusters that nobody needs',
    client: (inner) =>
      overriding(inner, {
        delete: (original, type, ref, ...rest) =>
          isKind(type, 'rayclusters') ? Promise.resolve({ kind: 'Status' }) : original(type, ref, ...rest),
      }),
  },
  'ignores-suspension': {
    says: 'does not read that it should rest',
    client: see('rayservices', (event) => {
      const { spec } = event.object as RayService;
      return { ...event, object: { ...event.object, spec: { ...spec, suspend: false } } as KubeObject };
    }),
  },
  'sends-nothing': {
    says: 'takes a configuration for delivered that never arrives',
    send: (inner) => (request) =>
      request.method === 'PUT' ? Promise.resolve({ status: 200, headers: {}, body: bytesOf('{}') }) : inner(request),
  },
  'sends-once': {
    says: 'tells each address its configuration only once, whatever becomes of the head',
    send: (inner) => {
      const told = new Set<string>();
      return (request) => {
        if (request.method !== 'PUT') return inner(request);
        const { host } = new URL(request.url);
        if (told.has(host)) return Promise.resolve({ status: 200, headers: {}, body: bytesOf('{}') });
        told.add(host);
        return inner(request);
      };
    },
  },
  'full-from-the-start': {
    says: 'tells of more capacity than it may use',
    client: (inner) =>
      overriding(inner, {
        patch: (original, type, ref, patch, options) => {
          const { status } = (patch as Patch).body as { readonly status?: RayService['status'] };
          const pending = status?.pendingServiceStatus;
          if (pending?.targetCapacity === undefined) return original(type, ref, patch, options);
          const more = {
            ...status,
            pendingServiceStatus: { ...pending, targetCapacity: pending.targetCapacity + 101 },
          };
          const body = { ...((patch as Patch).body as object), status: more };
          return original(type, ref, { type: 'merge', body }, options);
        },
      }),
  },
  'leads-elsewhere': {
    says: 'lets its own Service lead to a cluster of somebody else',
    client: (inner) => {
      const lead = (object: unknown) => {
        const { spec, ...rest } = object as KubeObject & {
          readonly spec?: { readonly selector?: Record<string, string> };
        };
        const selector = { ...spec?.selector, 'ray.io/cluster': STRANGER };
        return { ...rest, spec: { ...spec, selector } };
      };
      const isEntry = (type: ResourceType, object: unknown) =>
        isKind(type, 'services') && (object as KubeObject).metadata?.name === `${SERVICE}-serve-svc`;
      return overriding(inner, {
        create: (original, type, object, ...rest) =>
          original(type, isEntry(type, object) ? lead(object) : object, ...rest),
        update: (original, type, object, ...rest) =>
          original(type, isEntry(type, object) ? lead(object) : object, ...rest),
      });
    },
  },
  'no-gateway': {
    says: 'does not make the Gateway that its route needs',
    client: (inner) =>
      overriding(inner, {
        create: (original, type, object, ...rest) =>
          isKind(type, 'gateways') ? Promise.resolve(object) : original(type, object, ...rest),
      }),
  },
  'does-not-label': {
    says: 'never lets the head take requests',
    client: (inner) =>
      overriding(inner, {
        patch: (original, type, ref, ...rest) =>
          isKind(type, 'pods')
            ? inner.get(resources.pods, ref as { readonly name: string })
            : original(type, ref, ...rest),
        update: (original, type, object, ...rest) =>
          isKind(type, 'pods') ? Promise.resolve(object) : original(type, object, ...rest),
      }),
  },
  'keeps-old-code': {
    says: 'does not read that other code is wanted',
    client: see('rayservices', (event) => {
      const { spec } = event.object as RayService;
      return { ...event, object: { ...event.object, spec: { ...spec, serveConfigV2: configOf('v1') } } as KubeObject };
    }),
  },
  'no-capacity': {
    says: 'tells every cluster to serve nothing',
    send: telling((config) => ({ ...config, target_capacity: 0 })),
  },
  'half-capacity': {
    says: 'tells clusters to serve half of what it then sends them',
    send: telling((config) =>
      config.target_capacity === undefined
        ? config
        : { ...config, target_capacity: Math.floor(config.target_capacity / 2) },
    ),
  },
  'deletes-the-active': {
    says: 'deletes the cluster that serves instead of the one that does not',
    client: (inner) => {
      let active: string | undefined;
      const noting = see('rayservices', (event) => {
        active = (event.object as RayService).status?.activeServiceStatus?.rayClusterName ?? active;
        return event;
      })(inner);
      return overriding(noting, {
        delete: (original, type, ref, ...rest) =>
          isKind(type, 'rayclusters') && active !== undefined
            ? original(type, { name: active, namespace: NAMESPACE }, {})
            : original(type, ref, ...rest),
      });
    },
  },
  'gives-nothing': {
    says: 'leaves both clusters without traffic in the middle of an upgrade',
    client: changingRoutes(([active = 0, pending = 0]) => (pending > 0 ? [0, 0] : [active, pending])),
  },
  'sees-no-changes': {
    says: 'does not hear of clusters that change',
    client: (inner) => {
      const known = new Map<string, KubeObject>();
      return see('rayclusters', (event) => {
        const { uid = '' } = event.object.metadata ?? {};
        const first = known.get(uid) ?? event.object;
        known.set(uid, first);
        return { ...event, object: first };
      })(inner);
    },
  },
  restless: {
    says: 'writes although nothing has changed',
    client: (inner, { clock }) => {
      const touch = () => {
        const annotations = { 'test.manta.dev/looked-at': String(clock.now()) };
        const patch = { type: 'merge', body: { metadata: { annotations } } } as const;
        void inner.patch(resources.rayServices, { name: SERVICE, namespace: NAMESPACE }, patch).catch(() => undefined);
        clock.setTimer(100_000, touch);
      };
      clock.setTimer(100_000, touch);
      return inner;
    },
  },
  'sees-no-endpoints': {
    says: 'does not hear of endpoints',
    client: see('endpointslices', () => undefined),
  },
} as const satisfies Readonly<Record<string, Making>>;

export type Mistake = keyof typeof MISTAKES;

/** How an operator is brought to make it. */
export function makingOf(mistake: Mistake | undefined): Omit<Making, 'says'> {
  return mistake === undefined ? {} : MISTAKES[mistake];
}

function isKind({ plural }: ResourceType, wanted: string): boolean {
  return plural === wanted;
}

/** Hears something else than Ray says. */
function hearing(change: (text: string) => string): (inner: RaySend) => RaySend {
  return (inner) => async (request) => {
    const answer: RayResponse = await inner(request);
    const chunks: Uint8Array[] = [];
    for await (const chunk of answer.body) chunks.push(chunk);
    return { ...answer, body: bytesOf(change(Buffer.concat(chunks).toString())) };
  };
}

/** Tells Serve something else than it has decided on. */
function telling(change: (config: Serve['config']) => Serve['config']): (inner: RaySend) => RaySend {
  return (inner) => (request) => {
    if (request.method !== 'PUT' || request.body === undefined) return inner(request);
    return inner({ ...request, body: JSON.stringify(change(JSON.parse(request.body) as Serve['config'])) });
  };
}

/** Writes other shares than it has decided on. */
function changingRoutes(change: (weights: readonly number[]) => readonly number[]): (inner: KubeClient) => KubeClient {
  return (inner) =>
    overriding(inner, {
      update: (original, type, object, ...rest) => {
        if (!isKind(type, 'httproutes')) return original(type, object, ...rest);
        const route = asRoute(object as Parameters<typeof asRoute>[0]);
        const rules = route.spec?.rules?.map((rule) => {
          const weights = change((rule.backendRefs ?? []).map(({ weight = 1 }) => weight));
          return {
            ...rule,
            backendRefs: rule.backendRefs?.map((ref, index) => ({ ...ref, weight: weights[index] ?? 0 })),
          };
        });
        return original(type, { ...route, spec: { ...route.spec, rules } }, ...rest);
      },
    });
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}
