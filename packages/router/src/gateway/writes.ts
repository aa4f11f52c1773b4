import type { KubeObject } from '@manta/api';
import { ApiError, apiVersionOf, type KubeClient, type ResourceType, resources } from '@manta/kube';
import type { Informer, ReconcileContext } from '@manta/runtime';
import { gatewayCrds } from './crds.ts';
import { CONTROLLER_NAME, type GatewayClass, gatewayClasses } from './kinds.ts';

/** The only writes of the router: what it has to say about objects of others, its own class, and definitions where it is asked for them. */

/** Writes a status with the resourceVersion that it was decided for. A newer version causes a conflict, and the key is requeued. */
export async function writeStatus<T extends KubeObject>(
  client: KubeClient,
  type: ResourceType<T>,
  object: T,
  status: unknown,
  { context, informer }: { readonly context: ReconcileContext; readonly informer: Informer },
): Promise<void> {
  const { name = '', namespace, resourceVersion } = object.metadata ?? {};
  const body = { metadata: { resourceVersion }, status };
  const options = { subresource: 'status', signal: context.signal } as const;
  const written = await client.patch(type, { name, namespace }, { type: 'merge', body }, options);
  context.wrote(informer, written);
}

/** Makes our class where it is not there. */
export async function createClass(client: KubeClient, name: string, signal: AbortSignal): Promise<void> {
  const object: GatewayClass = {
    apiVersion: apiVersionOf(gatewayClasses),
    kind: gatewayClasses.kind,
    metadata: { name },
    spec: { controllerName: CONTROLLER_NAME },
  };
  await createUnlessThere(client, gatewayClasses, object, { signal });
}

/** Installs our minimal CRDs for kinds that are missing; existing CRDs are not changed. */
export async function installCrds(client: KubeClient): Promise<readonly string[]> {
  const installed: string[] = [];
  for (const definition of gatewayCrds()) {
    const isNew = await createUnlessThere(client, resources.customResourceDefinitions, definition, {});
    if (isNew) installed.push(definition.metadata?.name ?? '');
  }
  return installed;
}

/** Another writer may have been faster. */
async function createUnlessThere<T extends KubeObject>(
  client: KubeClient,
  type: ResourceType<T>,
  object: T,
  options: { readonly signal?: AbortSignal },
): Promise<boolean> {
  try {
    await client.create(type, object, options);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'AlreadyExists') return false;
    throw error;
  }
}
