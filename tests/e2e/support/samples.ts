import { readdirSync, readFileSync } from 'node:fs';
import type { KubeObject, RayCluster, RayJob, RayService } from '@manta/api';
import { resources, type ResourceType } from '@manta/kube';
import { parseAllDocuments } from 'yaml';
import { WHY_NOT_READY } from '../../support/samples-on-engine.ts';
import type { LocalRay } from './local-ray.ts';
import { NAMESPACE, podsOf, until } from './look.ts';

/** Samples of which all can become ready on one machine. */
export function possibleSamples(folder: string): readonly string[] {
  return readdirSync(folder).filter((file) => file.endsWith('.yaml') && !(file in WHY_NOT_READY));
}

interface Created {
  readonly type: ResourceType;
  readonly object: KubeObject;
}

/** Applies a sample, waits until all that is Ray's in it is ready or has succeeded, and takes it away again. */
export async function bringToReady(ray: LocalRay, file: string): Promise<void> {
  const created: Created[] = [];
  try {
    for (const document of parseAllDocuments(readFileSync(file, 'utf8'))) {
      const object: KubeObject | null = document.toJS();
      const type = Object.values(resources).find(({ kind }) => kind === object?.kind);
      if (object === null || type === undefined) continue;
      const namespace = type.isNamespaced ? { namespace: NAMESPACE } : {};
      created.push({ type, object: { ...object, metadata: { ...object.metadata, ...namespace } } });
    }
    for (const { type, object } of created) await ray.client.create(type, object);
    for (const { type, object } of created) await untilReady(ray, type, object);
  } finally {
    for (const { type, object } of created.toReversed())
      await ray.client.delete(type, { name: object.metadata?.name ?? '', namespace: NAMESPACE }).catch(() => undefined);
    await until(
      'no pods',
      () => podsOf(ray),
      (pods) => pods.length === 0,
    );
  }
}

async function untilReady(ray: LocalRay, type: ResourceType, { kind, metadata }: KubeObject): Promise<void> {
  const isReady = READY[kind ?? ''];
  if (isReady === undefined) return;
  const ref = { namespace: NAMESPACE, name: metadata?.name ?? '' };
  await until(`${kind} ${ref.name}`, () => ray.client.get(type, ref), isReady);
}

const READY: Readonly<Record<string, (object: KubeObject) => boolean>> = {
  RayCluster: ({ status }: RayCluster) => status?.state === 'ready',
  RayJob: ({ status }: RayJob) => {
    if (status?.jobDeploymentStatus === 'Failed') throw new Error(`it failed: ${status.message}`);
    return status?.jobStatus === 'SUCCEEDED';
  },
  RayService: ({ status }: RayService) =>
    status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true,
};
