import type { Service } from '@manta/api';
import { hasLabels, type Store, type StoredObject } from '@manta/apiserver';
import { joinKey, readAll, type Stored } from '../framework/cluster.ts';
import { services } from '../framework/kinds.ts';

/** Whether the controller manages a Service's endpoints: not without a selector, nor for an ExternalName. */
export function isSelecting({ spec, metadata }: Stored<Service>): boolean {
  const isGoing = metadata.deletionTimestamp !== undefined;
  return !isGoing && spec?.type !== 'ExternalName' && Object.keys(spec?.selector ?? {}).length > 0;
}

/** A service's key in queues. */
export function keyOfService({ metadata }: Stored<Service>): string {
  return joinKey(metadata.namespace ?? '', metadata.name);
}

/** The keys of the services that a pod belongs to, or belonged to before it was written. */
export function servicesOfPod(
  store: Store,
  namespace: string,
  pod: StoredObject,
  before: StoredObject | undefined,
): readonly string[] {
  const labels = [pod.metadata.labels ?? {}, before?.metadata.labels ?? {}];
  return readAll(store, services, namespace)
    .filter((service) => isSelecting(service) && labels.some((has) => hasLabels(has, service.spec?.selector ?? {})))
    .map(keyOfService);
}
