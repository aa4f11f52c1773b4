import { goQuote } from '@manta/api';
import { isObject, type JsonObject } from '../object/json.ts';
import type { ResourceName } from '../object/resource-info.ts';
import { StatusError } from '../status/status-error.ts';
import type { Store } from '../store/contract.ts';
import type { StoredObject } from '../object/stored-object.ts';
import { badRequest, notFound } from '../status/errors.ts';
import { textAt, valueAt } from '../registry/json-path.ts';
import { asJson } from '../object/stored-json.ts';

/** The object that a token lives as long as. */
export interface BoundObject {
  /** The key of the claim that names the object. */
  readonly claim: string;
  readonly name: string;
  readonly uid: string;
}

interface Kind {
  readonly resource: ResourceName;
  readonly plural: string;
  readonly claim: string;
  readonly isNamespaced: boolean;
}

const KINDS: ReadonlyMap<string, Kind> = new Map([
  ['Pod', { resource: '/pods', plural: 'pods', claim: 'pod', isNamespaced: true }],
  ['Secret', { resource: '/secrets', plural: 'secrets', claim: 'secret', isNamespaced: true }],
  ['Node', { resource: '/nodes', plural: 'nodes', claim: 'node', isNamespaced: false }],
]);

/** The object of a `boundObjectRef`, which must exist, have the named UID, and (a pod) run as the account; refuses like kube-apiserver. */
export function findBoundObject(store: Store, account: StoredObject, ref: JsonObject): BoundObject {
  const [kindName, name, uid] = [textAt(ref, 'kind'), textAt(ref, 'name'), textAt(ref, 'uid')];
  const kind = KINDS.get(kindName);
  if (kind === undefined) {
    throw badRequest(
      `cannot bind token to object of type ${groupVersion(textAt(ref, 'apiVersion'))}, Kind=${kindName}`,
    );
  }
  if (name === '') throw badRequest('Name parameter required.');
  const object = store.get({ resource: kind.resource, namespace: placeOf(kind, account), name });
  if (object === undefined) throw notFound({ group: '', plural: kind.plural }, name);
  if (kindName === 'Pod' && textAt(asJson(object), 'spec.serviceAccountName') !== account.metadata.name) {
    const who = goQuote(account.metadata.name);
    throw badRequest(`cannot bind token for serviceaccount ${who} to pod running with different serviceaccount name.`);
  }
  if (uid !== '' && uid !== object.metadata.uid) throw anotherUid(kindName, name, uid);
  return { claim: kind.claim, name, uid: object.metadata.uid };
}

/** Whether the object that a token's claims name no longer exists, or is another of the same name. */
export function isOrphaned(store: Store, claims: JsonObject, namespace: string): boolean {
  return [...KINDS.values()].some(({ resource, claim, isNamespaced }) => {
    const ref = valueAt(claims, claim);
    if (!isObject(ref)) return false;
    const key = { resource, namespace: isNamespaced ? namespace : '', name: textAt(ref, 'name') };
    return store.get(key)?.metadata.uid !== textAt(ref, 'uid');
  });
}

function placeOf({ isNamespaced }: Kind, { metadata }: StoredObject): string {
  return isNamespaced ? (metadata.namespace ?? '') : '';
}

/** `/v1` for `v1`, `apps/v1` for `apps/v1`, as Go prints it. */
function groupVersion(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
}

function anotherUid(kind: string, name: string, uid: string): StatusError {
  const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  const message = `Operation cannot be fulfilled on ${kind} "${name}": ${why}`;
  return new StatusError(409, 'Conflict', message, { name, kind });
}
