import type { KubeObject } from '@manta/api';
import type { TestEngine } from '@manta/apiserver/testing';
import { type KubeClient, type ResourceType, resources } from '@manta/kube';
import type { DemoClock } from './clock.ts';
import type { DemoObject } from './builders.ts';
import { DEMO_OBJECTS } from './objects.ts';

const TYPES: Readonly<Record<DemoObject['kind'], ResourceType>> = {
  RayCluster: resources.rayClusters,
  RayJob: resources.rayJobs,
  RayService: resources.rayServices,
  RayCronJob: resources.rayCronJobs,
  Pod: resources.pods,
  Node: resources.nodes,
  Event: resources.events,
};

/** Fills an engine without controllers with the objects of the demo, each as old as it says. */
export async function createDemo(engine: TestEngine, clock: DemoClock, objects = DEMO_OBJECTS): Promise<void> {
  const { client } = engine;
  const namespaces = new Set(objects.flatMap(({ metadata }) => metadata.namespace ?? []));
  clock.at(2_592_000);
  for (const name of namespaces) await client.create(resources.namespaces, { metadata: { name } });
  const uids = new Map<string, string>();
  for (const object of objects) {
    clock.at(object.ageSeconds);
    const uid = await createOne(client, object, uids.get(object.owner ?? ''));
    uids.set(`${object.kind}/${object.metadata.namespace ?? ''}/${object.metadata.name}`, uid);
  }
  clock.at(0);
}

async function createOne(client: KubeClient, object: DemoObject, ownerUid: string | undefined): Promise<string> {
  const { kind, metadata, spec, status, fields, owner } = object;
  const type = TYPES[kind];
  const [ownerKind = '', , ownerName = ''] = owner?.split('/') ?? [];
  const isOwned = ownerUid !== undefined && kind !== 'Event';
  const references = isOwned
    ? {
        ownerReferences: [
          { apiVersion: 'ray.io/v1', kind: ownerKind, name: ownerName, uid: ownerUid, controller: true },
        ],
      }
    : {};
  const about = kind === 'Event' && fields !== undefined && 'regarding' in fields ? fields.regarding : undefined;
  const made = await client.create(type, {
    metadata: { ...metadata, ...references },
    ...(spec === undefined ? {} : { spec }),
    ...fields,
    ...(about === undefined ? {} : { regarding: { ...(about as object), uid: ownerUid } }),
  });
  if (status !== undefined) await client.update(type, { ...made, status } as KubeObject, { subresource: 'status' });
  return made.metadata?.uid ?? '';
}
