import type { KubeObject } from '@manta/api';
import { type ResourceType, resources } from '@manta/kube';
import type { StreamedKind } from '../protocol.ts';

/** Where each streamed kind is served. */
export const STREAMED_TYPES: Readonly<Record<StreamedKind, ResourceType>> = {
  RayCluster: resources.rayClusters,
  RayJob: resources.rayJobs,
  RayService: resources.rayServices,
  RayCronJob: resources.rayCronJobs,
  Pod: resources.pods,
  Event: resources.events,
  Node: resources.nodes,
};

/** An object as the cache keeps it: written out once, however many viewers get it. */
export interface CachedObject {
  readonly namespace: string;
  readonly name: string;
  readonly json: string;
}

interface Parts extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

/** What the page needs of an object. Pods lose their environment: values there may be secrets that a viewer of pods need not see. */
export function toCached(kind: StreamedKind, object: KubeObject): CachedObject {
  const { namespace = '', name = '' } = object.metadata ?? {};
  const trimmed: Parts = { ...object, kind, metadata: withoutLastApplied(object.metadata) };
  return { namespace, name, json: JSON.stringify(kind === 'Pod' ? podParts(trimmed) : trimmed) };
}

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

function withoutLastApplied(metadata: KubeObject['metadata']): NonNullable<KubeObject['metadata']> {
  const { annotations, ...rest } = metadata ?? {};
  if (annotations === undefined) return rest;
  const kept = Object.fromEntries(Object.entries(annotations).filter(([key]) => key !== LAST_APPLIED));
  return { ...rest, annotations: kept };
}

function podParts({ metadata, spec = {}, status }: Parts): Parts {
  const containers = (list: unknown) =>
    Array.isArray(list)
      ? list.map(({ name, image, resources: asked, ports }: Readonly<Record<string, unknown>>) => ({
          name,
          image,
          resources: asked,
          ports,
        }))
      : [];
  return {
    kind: 'Pod',
    ...(metadata === undefined ? {} : { metadata }),
    spec: {
      nodeName: spec['nodeName'],
      restartPolicy: spec['restartPolicy'],
      containers: containers(spec['containers']),
      initContainers: containers(spec['initContainers']),
    },
    ...(status === undefined ? {} : { status }),
  };
}
