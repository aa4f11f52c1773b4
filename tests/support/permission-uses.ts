import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { RayCluster } from '@manta/api';
import { rayClusterSpec } from '@manta/api/testing';
import { type AccessQuestion, type ResourceType, resources } from '@manta/kube';
import { describePermission } from '@manta/operator';
import { buildAutoscalerRole } from '../../packages/plan/src/build/autoscaler-access.ts';
import type { AuditedRequest } from './audit-log.ts';

/**
 * What the operator's code asks of the API server, read from its sources: every object that a plan writes is named where its action is
 * made, every cache and every look past a cache names its resource. Reading can miss a use, never invent one, so a permission that is
 * needed may at worst be called idle by a test, and not the other way round.
 */

const root = resolve(import.meta.dirname, '../..');
const shipped = globSync('packages/{plan,operator,runtime,ray}/src/**/*.ts', { cwd: root })
  .filter((path) => !path.endsWith('.test.ts') && !path.includes('/testing/'))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

const TYPES: Readonly<Record<string, ResourceType>> = resources;
const OF_KIND = new Map(Object.values(TYPES).map((type) => [type.kind, type]));
const RAY_KINDS = ['RayCluster', 'RayJob', 'RayService', 'RayCronJob'];

/** The functions that make an action for a kind that their callers name. */
const ACTION_MAKERS: Readonly<Record<string, string>> = {
  createUnlessExists: 'create',
  ensure: 'create',
  updateChild: 'update',
  remove: 'delete',
  deleteObject: 'delete',
  updateOwn: 'update',
  patchOwn: 'patch',
  deleteOwn: 'delete',
  updateSelf: 'update',
  patchSelf: 'patch',
  deleteSelf: 'delete',
  updateExcepted: 'update',
  patchExcepted: 'patch',
};

const HTTP_VERBS: Readonly<Record<string, string>> = { GET: 'get', POST: 'create', PUT: 'update' };

/** Every permission that the operator's code uses, as `describePermission` says it, without the kinds of batch schedulers. */
export function usedPermissions(): ReadonlySet<string> {
  const uses = [...written(), ...made(), ...cached(), ...read(), ...ofConstants(), ...ofOurKinds(), ...asked()];
  return new Set(uses.map(describePermission));
}

/**
 * Reads that the operator tries after a conflict, of the kinds that it patches or deletes. It does without one that is forbidden, so they
 * need not be granted.
 */
export function readsAfterConflicts(): ReadonlySet<string> {
  const rewritten = made().filter(({ verb }) => verb === 'patch' || verb === 'delete');
  return new Set(rewritten.map((question) => describePermission({ ...question, verb: 'get' })));
}

/** The permissions that requests in an audit log have needed, but for those that everybody has: to ask what one may do. */
export function auditedPermissions(requests: readonly AuditedRequest[]): ReadonlySet<string> {
  const needy = requests.filter(({ resource, apiGroup }) => resource !== '' && apiGroup !== 'authorization.k8s.io');
  return new Set(
    needy.map(({ verb, apiGroup, resource }) => describePermission({ verb, group: apiGroup, ...split(resource) })),
  );
}

/** Kinds of which the owners of an object that is there are changed: a server that guards owners asks for `delete` on it. */
const GIVEN_OWNERS = ['Secret', 'PersistentVolumeClaim'];

/** Every permission that the operator holds so that the server lets it pass it on, or say who owns what. */
export function delegatedPermissions(): ReadonlySet<string> {
  const cluster: RayCluster = { apiVersion: 'ray.io/v1', kind: 'RayCluster', metadata: { name: 'a', namespace: 'b' } };
  const role = buildAutoscalerRole(cluster, rayClusterSpec({ enableInTreeAutoscaling: true }));
  const passedOn = (role?.rules ?? []).flatMap(({ apiGroups = [], resources: paths = [], verbs }) =>
    apiGroups.flatMap((group) => paths.flatMap((path) => verbs.map((verb) => ({ verb, group, ...split(path) })))),
  );
  const blocks = shipped.some(({ text }) => text.includes('blockOwnerDeletion: true'));
  const owners = blocks ? RAY_KINDS.map((kind) => ({ ...on('update', kind), subresource: 'finalizers' })) : [];
  const owned = GIVEN_OWNERS.map((kind) => on('delete', kind));
  return new Set([...passedOn, ...owners, ...owned].map(describePermission));
}

function split(path: string): Pick<AccessQuestion, 'resource' | 'subresource'> {
  const [resource = '', subresource] = path.split('/');
  return { resource, subresource };
}

function onType(verb: string, { group, plural }: ResourceType): AccessQuestion {
  return { verb, group, resource: plural };
}

function on(verb: string, kind: string): AccessQuestion {
  const type = OF_KIND.get(kind);
  if (type === undefined) throw new Error(`nothing is known of the kind ${kind}`);
  return onType(verb, type);
}

function found(pattern: RegExp): readonly RegExpExecArray[] {
  return shipped.flatMap(({ text }) => [...text.matchAll(pattern)]);
}

/** Actions that name their kind. One that may find its own object there already looks at it. */
function written(): readonly AccessQuestion[] {
  const literals = found(/type: '(create)',\s*kind: '(\w+)'(?:,\s*objects: \[?\w+\]?,\s*whenExists: '([\w-]+)')?/g);
  return literals.flatMap(([, verb = '', kind = '', whenExists]) => [
    on(verb, kind),
    ...(whenExists === 'fine-if-ours' ? [on('get', kind)] : []),
  ]);
}

/** Actions whose kind is named by the caller of what makes them. */
function made(): readonly AccessQuestion[] {
  const makers = Object.keys(ACTION_MAKERS).join('|');
  const first = String.raw`(?:(?:[\w.?]+(?: \?\? '')?|\{[^}]*\}),\s*)?`;
  const calls = found(new RegExp(String.raw`\b(${makers})\(\s*${first}'([A-Z]\w+)'([^;]*?'fine-if-ours')?`, 'g'));
  return calls.flatMap(([, maker = '', kind = '', ifOurs]) => [
    on(ACTION_MAKERS[maker] ?? '', kind),
    ...(ifOurs === undefined ? [] : [on('get', kind)]),
  ]);
}

function cached(): readonly AccessQuestion[] {
  return found(/\btype: resources\.(\w+)/g).flatMap(([, name = '']) =>
    ['list', 'watch'].map((verb) => named(verb, name)),
  );
}

/** Looks past a cache, and the one request that deletes many. */
function read(): readonly AccessQuestion[] {
  const calls = found(/(?:client\.(get|list|create|update|deleteCollection)|\bread)(?:<\w+>)?\(resources\.(\w+)/g);
  return calls.map(([, verb = 'get', name = '']) => named(verb.toLowerCase(), name));
}

function named(verb: string, name: string): AccessQuestion {
  return onType(verb, typeNamed(TYPES, name));
}

function typeNamed(types: Readonly<Record<string, ResourceType>>, name: string): ResourceType {
  const type = types[name];
  if (type === undefined) throw new Error(`there is no resource ${name}`);
  return type;
}

const CONSTANTS: Readonly<Record<string, ResourceType>> = {
  LEASES: resources.leases,
  EVENTS: resources.events,
  CONFIGURATIONS: {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    plural: 'validatingwebhookconfigurations',
    kind: 'ValidatingWebhookConfiguration',
    isNamespaced: false,
  },
};

function ofConstants(): readonly AccessQuestion[] {
  const calls = found(/client\s*\.(get|create|update|patch)\((LEASES|EVENTS|CONFIGURATIONS)\b/g);
  return calls.map(([, verb = '', name = '']) => onType(verb, typeNamed(CONSTANTS, name)));
}

/** Our own kinds: the status of each, and the creation of each that is only tried out, to learn how old its definition is. */
function ofOurKinds(): readonly AccessQuestion[] {
  // The pipeline writes the status of every kind that has a definition for it.
  const controllers = new Set(found(/\b(?:writeStatus|createReconciler)\(/g).map(({ input }) => input));
  const statuses = RAY_KINDS.filter((kind) => [...controllers].some((text) => text.includes(`kind: '${kind}'`)));
  const tried = found(/kind: '(Ray\w+)',\s*plural: '\w+',\s*spec/g).map(([, kind = '']) => on('create', kind));
  return [...statuses.map((kind) => ({ ...on('patch', kind), subresource: 'status' })), ...tried];
}

/** Questions to Ray that go through the API server. Jobs are deleted from Ray by no plan, so that DELETE is none of them. */
function asked(): readonly AccessQuestion[] {
  const methods = found(/calls\.command\('\w+', '(\w+)'/g).flatMap(([, method = '']) => HTTP_VERBS[method] ?? []);
  const ofService = ['get', ...methods].map((verb) => ({
    verb,
    group: '',
    resource: 'services',
    subresource: 'proxy',
  }));
  const ofPod = found(/proxyPath\(\{ kind: 'pods'/g).map(() => ({
    verb: 'get',
    group: '',
    resource: 'pods',
    subresource: 'proxy',
  }));
  return [...ofService, ...ofPod];
}
