import { type CallOptions, isGranted, type KubeClient, mayI, myRules } from '@manta/kube';
import type { Permission } from './permission.ts';

/**
 * RoleBindings cannot exist in a namespace that does not exist, so what is granted there is what is granted everywhere. The name is
 * longer than a namespace's may be.
 */
const NO_SUCH_NAMESPACE = 'everywhere-'.repeat(6);

/**
 * Asks the API server what we may do: one request a namespace for the rules that are bound to us, then one for each permission that
 * these do not show, since another authorizer than RBAC may grant it. What is missing in one namespace only names that namespace;
 * what is wanted in one namespace only is asked for there.
 * Rejects when the server does not answer these questions at all.
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
