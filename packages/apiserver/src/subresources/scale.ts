import { isObject, type JsonObject } from '../object/json.ts';
import { applyJsonPatch, applyMergePatch } from '../patch/index.ts';
import { StatusError } from '../status/status-error.ts';
import type { StoredObject } from '../object/stored-object.ts';
import type { Api } from '../api.ts';
import { badRequest, conflict, invalid, MODIFIED, noSuchPath } from '../status/errors.ts';
import type { Write, Written } from '../requests/handle-write.ts';
import { textAt, valueAt, withValueAt } from '../registry/json-path.ts';
import { metadataOf } from '../object/metadata.ts';
import type { Scope } from '../requests/request.ts';
import type { ScalePaths } from '../registry/served-resource.ts';
import { asJson, asStored } from '../object/stored-json.ts';
import { getObject } from '../verbs/get.ts';
import type { PatchParams } from '../verbs/patch.ts';
import { rewrite } from '../verbs/rewrite.ts';

/** Shows an object as an autoscaling/v1 Scale. */
export function readScale(api: Api, scope: Scope): StoredObject {
  return asStored(scaleOf(asJson(getObject(api, scope)), pathsOf(scope)));
}

/** Sets the number of replicas through a Scale, by PUT or by a patch of the Scale. */
export async function writeScale(api: Api, scope: Scope, write: Write, params: PatchParams): Promise<Written> {
  const paths = pathsOf(scope);
  const plain: Scope = { ...scope, subresource: 'scale' };
  const change = (old: JsonObject): JsonObject => {
    const wanted = wantedScale(scope, scaleOf(old, paths), write);
    const version = textAt(wanted, 'metadata.resourceVersion');
    if (version !== '' && version !== textAt(old, 'metadata.resourceVersion')) {
      throw conflict(scope.resource.info, scope.name, MODIFIED);
    }
    return withValueAt(old, paths.specReplicas, replicasOf(scope, wanted));
  };
  const object = await rewrite(api, plain, params, { change, isUnconditional: true });
  return { object: asStored(scaleOf(asJson(object), paths)), code: 200 };
}

function wantedScale(scope: Scope, current: JsonObject, write: Write): JsonObject {
  const wanted =
    write.verb !== 'patch'
      ? write.body
      : write.type === 'json'
        ? applyJsonPatch(current, write.body)
        : applyMergePatch(current, write.body);
  if (!isObject(wanted)) throw badRequest('Scale must be a JSON object');
  const name = textAt(wanted, 'metadata.name');
  if (name !== '' && name !== scope.name) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${scope.name})`);
  }
  return wanted;
}

function replicasOf(scope: Scope, scale: JsonObject): number {
  const replicas = valueAt(scale, 'spec.replicas') ?? 0;
  if (typeof replicas === 'number' && replicas >= 0) return replicas;
  const message = `Invalid value: ${JSON.stringify(replicas)}: should be a non-negative integer`;
  const cause = { reason: 'FieldValueInvalid', field: 'spec.replicas', message };
  throw invalid({ group: 'autoscaling', kind: 'Scale' }, scope.name, [cause]);
}

function scaleOf(object: JsonObject, paths: ScalePaths): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadataOf(object);
  const metadata = { name, namespace, uid, resourceVersion, creationTimestamp };
  const replicas = valueAt(object, paths.specReplicas);
  if (replicas === undefined) {
    const message = `the spec replicas field ".${paths.specReplicas}" does not exist`;
    throw new StatusError(500, 'InternalError', `Internal error occurred: ${message}`);
  }
  const selector = paths.labelSelector === undefined ? '' : textAt(object, paths.labelSelector);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: Object.fromEntries(
      Object.entries(metadata).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
    ),
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: valueAt(object, paths.statusReplicas) ?? 0,
      ...(selector === '' ? {} : { selector }),
    },
  };
}

function pathsOf({ version }: Scope): ScalePaths {
  if (version.scale === undefined) throw noSuchPath();
  return version.scale;
}
