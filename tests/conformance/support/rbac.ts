import { eventually } from './eventually.ts';
import type { CaseUser, Fields, Target } from './target.ts';

const group = 'rbac.authorization.k8s.io';

/** Lets a user do something in one namespace, and gives the server as that user sees it. */
export async function permit(
  t: Target,
  namespace: string,
  user: CaseUser,
  ...rules: readonly Fields[]
): Promise<Target> {
  const name = t.unique('role');
  const path = `/apis/${group}/v1/namespaces/${namespace}`;
  await t.must('POST', `${path}/roles`, { metadata: { name }, rules });
  await t.must('POST', `${path}/rolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: group, kind: 'Role', name },
    subjects: [{ apiGroup: group, kind: 'User', name: user.name }],
  });
  return t.as(user);
}

/** Lets a user do something everywhere. */
export async function permitEverywhere(t: Target, user: CaseUser, ...rules: readonly Fields[]): Promise<Target> {
  const name = t.unique('role');
  await t.must('POST', `/apis/${group}/v1/clusterroles`, { metadata: { name }, rules });
  await t.must('POST', `/apis/${group}/v1/clusterrolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: group, kind: 'ClusterRole', name },
    subjects: [{ apiGroup: group, kind: 'User', name: user.name }],
  });
  return t.as(user);
}

/** Repeats a request until permissions, which servers learn from a watch, have arrived. */
export function allowed(t: Target, method: string, path: string, body?: unknown): Promise<number> {
  return eventually(`${method} ${path} to be allowed`, async () => {
    const { status } = await t.request(method, path, body);
    return status === 403 ? undefined : status;
  });
}
