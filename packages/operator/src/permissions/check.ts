import type { KubeClient } from '@manta/kube';
import { type GrantedRule, isGranted, type Permission } from './grants.ts';

/** A permission that is not there; `namespace` is absent where it is wanted everywhere. */
export interface MissingPermission extends Permission {
  readonly namespace?: string;
}

interface RulesReview {
  readonly status?: { readonly resourceRules?: readonly GrantedRule[] };
}

interface AccessReview {
  readonly status?: { readonly allowed?: boolean };
}

/**
 * RoleBindings cannot exist in a namespace that does not exist, so what is granted there is what is granted everywhere. The name is
 * longer than a namespace's may be.
 */
const NO_SUCH_NAMESPACE = 'everywhere-'.repeat(6);

/**
 * Asks the API server what we may do: one request a namespace for the rules that are bound to us, then one for each permission that
 * these do not show, since another authorizer than RBAC may grant it. Rejects when the server does not answer these questions at all.
 */
export async function findMissingPermissions(
  client: KubeClient,
  wanted: readonly Permission[],
  namespaces: readonly string[],
): Promise<readonly MissingPermission[]> {
  const scopes: readonly (string | undefined)[] = namespaces.length === 0 ? [undefined] : namespaces;
  const missing = await Promise.all(scopes.map((namespace) => findMissingIn(client, wanted, namespace)));
  return missing.flat();
}

async function findMissingIn(
  client: KubeClient,
  wanted: readonly Permission[],
  namespace: string | undefined,
): Promise<readonly MissingPermission[]> {
  const review = await client.post<RulesReview>('/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectRulesReview',
    spec: { namespace: namespace ?? NO_SUCH_NAMESPACE },
  });
  const rules = review.status?.resourceRules ?? [];
  const doubtful = wanted.filter((permission) => !isGranted(permission, rules));
  const answers = await Promise.all(doubtful.map((permission) => isAllowed(client, permission, namespace)));
  return doubtful
    .filter((_, i) => answers[i] === false)
    .map((permission) => (namespace === undefined ? permission : { ...permission, namespace }));
}

async function isAllowed(client: KubeClient, permission: Permission, namespace: string | undefined): Promise<boolean> {
  const [resource, subresource] = permission.resource.split('/');
  const review = await client.post<AccessReview>('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: { verb: permission.verb, group: permission.group, resource, subresource, namespace } },
  });
  return review.status?.allowed ?? false;
}
