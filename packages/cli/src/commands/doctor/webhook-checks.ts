import type { EndpointSlice, KubeObject } from '@manta/api';
import { type KubeClient, type ResourceType, resources } from '@manta/kube';
import { type Check, listOrRight, unknown } from './check.ts';

interface WebhookConfiguration extends KubeObject {
  readonly webhooks?: readonly {
    readonly name?: string;
    readonly failurePolicy?: string;
    readonly rules?: readonly { readonly apiGroups?: readonly string[] }[];
    readonly clientConfig?: { readonly service?: { readonly namespace?: string; readonly name?: string } };
  }[];
}

const kind = (plural: string, name: string): ResourceType<WebhookConfiguration> => ({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural,
  kind: name,
  isNamespaced: false,
});

const KINDS = [
  kind('validatingwebhookconfigurations', 'ValidatingWebhookConfiguration'),
  kind('mutatingwebhookconfigurations', 'MutatingWebhookConfiguration'),
];

/** Webhooks for Ray kinds must have a ready endpoint: otherwise the API server refuses every write, unless the failure policy is Ignore. */
export async function checkWebhooks(client: KubeClient): Promise<readonly Check[]> {
  const check = 'webhooks';
  const lists = await Promise.all(KINDS.map((type) => listOrRight(client, type)));
  const forbidden = lists.find((list) => list.kind === 'forbidden');
  if (forbidden?.kind === 'forbidden') return [unknown(check, forbidden.right)];
  const hooks = lists
    .flatMap((list) => (list.kind === 'items' ? list.items : []))
    .flatMap(({ webhooks = [] }) => webhooks)
    .filter(({ rules = [] }) => rules.some(({ apiGroups = [] }) => apiGroups.includes('ray.io')));
  if (hooks.length === 0) return [{ check, state: 'ok', says: 'none for Ray kinds' }];
  const down: string[] = [];
  let isBlocking = false;
  for (const { name = '', failurePolicy, clientConfig } of hooks) {
    const { service } = clientConfig ?? {};
    if (service?.namespace === undefined || service.name === undefined) continue;
    const labelSelector = `kubernetes.io/service-name=${service.name}`;
    const slices = await listOrRight(client, resources.endpointSlices, { namespace: service.namespace, labelSelector });
    if (slices.kind === 'forbidden') return [unknown(check, slices.right)];
    if (slices.kind === 'items' && hasReadyEndpoint(slices.items)) continue;
    down.push(`${name} (Service ${service.namespace}/${service.name})`);
    isBlocking ||= failurePolicy !== 'Ignore';
  }
  if (down.length === 0) return [{ check, state: 'ok', says: `${hooks.length} for Ray kinds, all have endpoints` }];
  const says = `no ready endpoint: ${down.join(', ')}`;
  if (!isBlocking) {
    const hint = 'Start the webhook server: it does not check Ray objects meanwhile.';
    return [{ check, state: 'warning', says, hint }];
  }
  const hint =
    'Start the webhook server, or delete the webhook configuration: the API server refuses changes of Ray objects meanwhile.';
  return [{ check, state: 'failed', says, hint }];
}

/** The API server writes `null` for an empty list of endpoints. */
export function hasReadyEndpoint(slices: readonly EndpointSlice[]): boolean {
  return slices.some(({ endpoints }) => (endpoints ?? []).some(({ conditions }) => conditions?.ready !== false));
}
