import type { KubeClient, ObjectRef, ResourceType, Status } from '@manta/kube';
import { ApiError, pathOf } from '@manta/kube';
import type { ApiRequester } from '../support/api-request.ts';

const at = (type: ResourceType, ref: ObjectRef) => pathOf(type, ref.namespace, ref.name);

/** The four calls that leader election and events make, over plain HTTP: a second opinion that does not depend on our transport. */
export function rawKubeClient(request: ApiRequester): KubeClient {
  const ask = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) => {
    const answer = await request(method, path, body, headers);
    if (answer.status < 300) return answer.body;
    const status = answer.body as Status | undefined;
    throw new ApiError({ method, path }, answer.status, status?.message ?? answer.text, status);
  };
  const calls = {
    get: (type: ResourceType, ref: ObjectRef) => ask('GET', at(type, ref)),
    create: (type: ResourceType, object: { metadata: ObjectRef }) =>
      ask('POST', pathOf(type, object.metadata.namespace), object),
    update: (type: ResourceType, object: { metadata: ObjectRef }) => ask('PUT', at(type, object.metadata), object),
    patch: (type: ResourceType, ref: ObjectRef, patch: { body: unknown }) =>
      ask('PATCH', at(type, ref), patch.body, { 'content-type': 'application/merge-patch+json' }),
  };
  return calls as unknown as KubeClient;
}
