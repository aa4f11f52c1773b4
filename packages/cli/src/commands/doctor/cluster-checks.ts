import type { CustomResourceDefinition, KubeObject } from '@manta/api';
import { sharedCrds } from '@manta/api/crds';
import type { KubeClient, ResourceType } from '@manta/kube';
import { isRecord } from '../manifest/check-object.ts';
import { imageVersion } from '../version.ts';
import { type Check, type Listed, listOrRight, unknown } from './check.ts';

interface Deployment extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly template?: {
      readonly spec?: {
        readonly serviceAccountName?: string;
        readonly containers?: readonly { readonly image?: string; readonly args?: readonly string[] }[];
      };
    };
  };
  readonly status?: { readonly readyReplicas?: number };
}

const deployments: ResourceType<Deployment> = {
  group: 'apps',
  version: 'v1',
  plural: 'deployments',
  kind: 'Deployment',
  isNamespaced: true,
};

/** KubeRay's manifests give its API server the same name as its operator. */
const OPERATOR_LABELS =
  'app.kubernetes.io/name in (kuberay-operator,kuberay,manta-operator,manta),app.kubernetes.io/component notin (kuberay-apiserver)';

/** The Deployments of Ray operators. */
export async function findOperators(client: KubeClient): Promise<Listed<Deployment>> {
  return await listOrRight(client, deployments, { labelSelector: OPERATOR_LABELS });
}

/** Whether an operator runs, and only one. */
export function checkOperator(found: Listed<Deployment>, isBefore: boolean): readonly Check[] {
  const check = 'operator';
  if (found.kind === 'forbidden') return [unknown(check, found.right)];
  const items = found.kind === 'items' ? found.items : [];
  const [first] = items;
  if (first === undefined) return [noOperator(isBefore)];
  const names = items.map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`).join(', ');
  if (isBefore) {
    const hint =
      'Remove it first, or follow docs/migrate-from-kuberay.md: two operators must not watch the same namespaces.';
    return [{ check, state: 'warning', says: `an operator is installed already: ${names}`, hint }];
  }
  if (items.length > 1) {
    const hint = 'Keep one, or let each watch namespaces of its own (--watch-namespace).';
    return [{ check, state: 'warning', says: `${items.length} operators are installed: ${names}`, hint }];
  }
  const image = first.spec?.template?.spec?.containers?.[0]?.image ?? '';
  const says = `${names}, version ${imageVersion(image)}`;
  const [ready, wanted] = [first.status?.readyReplicas ?? 0, first.spec?.replicas ?? 1];
  if (ready > 0) return [{ check, state: 'ok', says: `${says}, ${ready} of ${wanted} ready` }];
  const hint = `See kubectl -n ${first.metadata?.namespace} logs deployment/${first.metadata?.name}.`;
  return [{ check, state: 'failed', says: `${says}: no replica is ready`, hint }];
}

function noOperator(isBefore: boolean): Check {
  const says = 'no Deployment of an operator';
  if (isBefore) return { check: 'operator', state: 'ok', says };
  const hint =
    'Install one, see docs/install.md. The engine of `manta up` has its operator built in: ignore this there.';
  return { check: 'operator', state: 'warning', says, hint };
}

const definitions: ResourceType<CustomResourceDefinition> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  isNamespaced: false,
};

/** Whether the CRDs are installed, and have the fields of this version. */
export async function checkCrds(client: KubeClient, isBefore: boolean): Promise<readonly Check[]> {
  const found = await listOrRight(client, definitions);
  if (found.kind === 'forbidden') return [unknown('CRDs', found.right)];
  const installed = found.kind === 'items' ? found.items : [];
  return sharedCrds().map((ours) => checkCrd(ours, installed, isBefore));
}

const APPLY = 'Run bin/manta crds apply, or apply the CRDs of the operator that you use.';

function checkCrd(
  ours: CustomResourceDefinition,
  installed: readonly CustomResourceDefinition[],
  isBefore: boolean,
): Check {
  const { plural, group, kind } = { ...ours.spec.names, group: ours.spec.group };
  const check = `CRD ${kind}`;
  const theirs = installed.find(({ metadata }) => metadata?.name === `${plural}.${group}`);
  if (theirs === undefined && isBefore) return { check, state: 'ok', says: 'not installed yet' };
  // The kind is alpha, and older versions of KubeRay do not have it.
  if (theirs === undefined && kind === 'RayCronJob')
    return { check, state: 'warning', says: 'not installed', hint: `Only RayCronJobs need it. ${APPLY}` };
  if (theirs === undefined) return { check, state: 'failed', says: 'not installed', hint: APPLY };
  const missing = newFields(ours, theirs);
  if (missing.length === 0) return { check, state: 'ok', says: 'has every field that this version knows' };
  const says = `lacks ${missing.slice(0, 3).join(', ')}${missing.length > 3 ? ` and ${missing.length - 3} more fields` : ''}`;
  return { check, state: 'warning', says, hint: `The API server drops these fields. ${APPLY}` };
}

/** Fields of `spec`, two levels deep, that the installed CRD does not have. */
function newFields(ours: CustomResourceDefinition, theirs: CustomResourceDefinition): readonly string[] {
  const known = new Set(specFields(theirs));
  return specFields(ours).filter((field) => !known.has(field));
}

function specFields({ spec }: CustomResourceDefinition): readonly string[] {
  const schema: unknown = spec.versions.find(({ name }) => name === 'v1')?.schema?.openAPIV3Schema;
  return below(schema, 'spec', 2);
}

function below(schema: unknown, name: string, depth: number, prefix = ''): readonly string[] {
  const properties = isRecord(schema) && isRecord(schema['properties']) ? schema['properties'] : {};
  const node = properties[name];
  const path = `${prefix}${name}`;
  const inner = isRecord(node) && isRecord(node['properties']) ? Object.keys(node['properties']) : [];
  return [path, ...(depth === 0 ? [] : inner.flatMap((each) => below(node, each, depth - 1, `${path}.`)))];
}

/** What the operator's ServiceAccount must be allowed; without one of these no RayCluster gets its pods. */
const OPERATOR_RIGHTS: readonly (readonly [verb: string, group: string, resource: string])[] = [
  ['list', 'ray.io', 'rayclusters'],
  ['watch', 'ray.io', 'rayclusters'],
  ['list', 'ray.io', 'rayjobs'],
  ['list', 'ray.io', 'rayservices'],
  ['list', '', 'pods'],
  ['watch', '', 'pods'],
  ['create', '', 'pods'],
  ['delete', '', 'pods'],
  ['list', '', 'services'],
  ['create', '', 'services'],
  ['create', 'batch', 'jobs'],
  ['create', 'rbac.authorization.k8s.io', 'roles'],
  ['create', 'rbac.authorization.k8s.io', 'rolebindings'],
  ['create', '', 'serviceaccounts'],
];

/** Whether the operator may do its work, asked in its name (SubjectAccessReview). */
export async function checkOperatorRights(
  client: KubeClient,
  found: Listed<Deployment>,
  namespace: string,
): Promise<readonly Check[]> {
  const check = 'rights of the operator';
  const [operator] = found.kind === 'items' ? found.items : [];
  if (operator === undefined) return [];
  const watched = watchedNamespaces(operator);
  if (watched.length > 0 && !watched.includes(namespace)) {
    const hint = 'Use -n with one of these namespaces, or add this namespace to --watch-namespace.';
    return [{ check, state: 'warning', says: `it watches only ${watched.join(', ')}, not ${namespace}`, hint }];
  }
  const account = operator.spec?.template?.spec?.serviceAccountName ?? 'default';
  const own = operator.metadata?.namespace ?? '';
  const answers = await Promise.all(
    OPERATOR_RIGHTS.map(async ([verb, group, resource]) => ({
      right: `${verb} ${resource}${group === '' ? '' : `.${group}`}`,
      isAllowed: await mayDo(client, { namespace: own, name: account }, { verb, group, resource, namespace }),
    })),
  );
  if (answers.some(({ isAllowed }) => isAllowed === undefined)) return [unknown(check, 'create subjectaccessreviews')];
  const missing = answers.filter(({ isAllowed }) => isAllowed === false).map(({ right }) => right);
  if (missing.length === 0) return [{ check, state: 'ok', says: `${account} may do what it needs in ${namespace}` }];
  const hint = 'Apply the ClusterRole again: bin/manta rbac | kubectl apply -f -.';
  return [{ check, state: 'failed', says: `${account} may not ${missing.join(', ')} in ${namespace}`, hint }];
}

/** The namespaces that an operator watches; none: all, or its arguments do not say. */
export function watchedNamespaces({ metadata, spec }: Deployment): readonly string[] {
  const args = spec?.template?.spec?.containers?.[0]?.args ?? [];
  const at = args.findIndex((arg) => /^--?watch-namespace(=|$)/.test(arg));
  if (at < 0) return [];
  const [flag = '', next = ''] = args.slice(at);
  const list = flag.includes('=') ? flag.slice(flag.indexOf('=') + 1) : next;
  const names = list.replaceAll('$(POD_NAMESPACE)', metadata?.namespace ?? '');
  if (names.includes('$(')) return [];
  return names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** Undefined: the user may not ask. */
async function mayDo(
  client: KubeClient,
  account: { readonly namespace: string; readonly name: string },
  resourceAttributes: Readonly<Record<string, string>>,
): Promise<boolean | undefined> {
  const user = `system:serviceaccount:${account.namespace}:${account.name}`;
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${account.namespace}`, 'system:authenticated'];
  try {
    const review = await client.post<{ readonly status?: { readonly allowed?: boolean } }>(
      '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      {
        kind: 'SubjectAccessReview',
        apiVersion: 'authorization.k8s.io/v1',
        spec: { user, groups, resourceAttributes },
      },
    );
    return review.status?.allowed === true;
  } catch {
    return undefined;
  }
}
