import { type CallOptions, isGranted, type KubeClient, mayI, myRules } from '@manta/kube';
import type { Permission } from './permission.ts';

/**
 * A namespace that cannot exist, because its name is too long. It has no RoleBindings, so what is granted there is granted in all namespaces.
 */
const NO_SUCH_NAMESPACE = 'everywhere-'.repeat(6);

/**
 * Asks the API server which permissions the operator lacks: one SelfSubjectRulesReview per namespace, then one SelfSubjectAccessReview for
 * each permission that these do not show, since another authorizer than RBAC may grant it. A permission that is missing in one namespace
 * only is reported with that namespace. Rejects if the API server serves no such reviews.
 */
export async function findMissingPermissions(
  client: KubeClient,
  wanted: readonly Permission[],
  namespaces: readonly string[],
  call: CallOptions = {},
): Promise<readonly Permission[]> {
  const scopes: readonly (string | undefined)[] = namespaces.length === 0 ? [undefined] : namespaces;
  const tied = Map.groupBy(wanted, ({ namespace }) => namespace);
  const everywhere = tied.get(undefined) ?? [];
  tied.delete(undefined);
  const questions = [...scopes.map((scope) => [scope, everywhere] as const), ...tied];
  const missing = await Promise.all(questions.map(([scope, asked]) => findMissingIn(client, asked, scope, call)));
  return missing.flat();
}

async function findMissingIn(
  client: KubeClient,
  wanted: readonly Permission[],
  namespace: string | undefined,
  call: CallOptions,
): Promise<readonly Permission[]> {
  const rules = await myRules(client, namespace ?? NO_SUCH_NAMESPACE, call);
  const doubtful = wanted
    .filter((permission) => !isGranted(rules, permission))
    .map((permission) => (namespace === undefined ? permission : { ...permission, namespace }));
  const answers = await Promise.all(doubtful.map((permission) => mayI(client, permission, call)));
  return doubtful.filter((_, i) => answers[i]?.isAllowed === false);
}
