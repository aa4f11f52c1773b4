import { type AccessQuestion, type KubeClient, mayI } from '@manta/kube';
import type { Check } from './check.ts';

/** Rights that commands need, with the commands. */
const NEEDED: readonly (readonly [question: Omit<AccessQuestion, 'namespace'>, usedBy: string])[] = [
  [{ verb: 'list', group: 'ray.io', resource: 'rayclusters' }, 'every command'],
  [{ verb: 'list', group: 'ray.io', resource: 'rayjobs' }, 'job, why, status'],
  [{ verb: 'list', group: 'ray.io', resource: 'rayservices' }, 'rollout, why, status'],
  [{ verb: 'create', group: 'ray.io', resource: 'rayjobs' }, 'run, job submit'],
  [{ verb: 'patch', group: 'ray.io', resource: 'rayclusters' }, 'scale, suspend, resume'],
  [{ verb: 'list', group: '', resource: 'pods' }, 'why, status, logs, top'],
  [{ verb: 'get', group: '', resource: 'pods', subresource: 'log' }, 'logs, why'],
  [{ verb: 'create', group: '', resource: 'pods', subresource: 'portforward' }, 'run, session, open, job'],
  [{ verb: 'create', group: '', resource: 'pods', subresource: 'exec' }, 'exec, log'],
  [{ verb: 'list', group: 'events.k8s.io', resource: 'events' }, 'why, events'],
  [{ verb: 'create', group: '', resource: 'secrets' }, 'run --retries'],
];

/** One line for all: what the user lacks in a namespace, and which commands need it. */
export async function checkOwnRights(client: KubeClient, namespace: string): Promise<readonly Check[]> {
  const check = 'your rights';
  const answers = await Promise.all(
    NEEDED.map(async ([question, usedBy]) => ({
      right: `${question.verb} ${question.resource}${question.subresource === undefined ? '' : `/${question.subresource}`}`,
      usedBy,
      isAllowed: (await mayI(client, { ...question, namespace })).isAllowed,
    })),
  );
  const missing = answers.filter(({ isAllowed }) => !isAllowed);
  if (missing.length === 0)
    return [{ check, state: 'ok', says: `you may use every command in namespace ${namespace}` }];
  const says = `you may not ${missing.map(({ right, usedBy }) => `${right} (${usedBy})`).join(', ')} in namespace ${namespace}`;
  return [{ check, state: 'warning', says, hint: 'Ask for a role with these rights if you need these commands.' }];
}

/** Rights for the installation of an operator. */
export async function checkInstallRights(client: KubeClient): Promise<readonly Check[]> {
  const check = 'your rights';
  const needed = [
    { verb: 'create', group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' },
    { verb: 'create', group: 'rbac.authorization.k8s.io', resource: 'clusterroles' },
    { verb: 'create', group: 'rbac.authorization.k8s.io', resource: 'clusterrolebindings' },
    { verb: 'create', group: 'apps', resource: 'deployments' },
  ];
  const answers = await Promise.all(
    needed.map(async (question) => ({ ...question, ...(await mayI(client, question)) })),
  );
  const missing = answers.filter(({ isAllowed }) => !isAllowed).map(({ verb, resource }) => `${verb} ${resource}`);
  if (missing.length === 0) return [{ check, state: 'ok', says: 'you may install an operator' }];
  const hint = 'Ask an administrator of the Kubernetes cluster to install the CRDs and the ClusterRole.';
  return [{ check, state: 'failed', says: `you may not ${missing.join(', ')}`, hint }];
}
