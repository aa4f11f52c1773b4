import { mapObject } from '../../crd/rebuild.ts';
import type { Time } from '@manta/api';
import type { JsonObject } from '../../object/json.ts';
import { mapPart, mapParts, metaOf, part, parts, text, textEntries, texts, without } from '../read.ts';
import { keepStatus } from './keep-status.ts';

/** A namespace is not gone before its contents are. */
export function prepareNamespace(object: JsonObject): JsonObject {
  const finalizers = texts(part(object, 'spec'), 'finalizers');
  const spec = {
    ...part(object, 'spec'),
    finalizers: finalizers.includes('kubernetes') ? finalizers : [...finalizers, 'kubernetes'],
  };
  return { ...object, spec, status: { phase: 'Active' } };
}

/** A new node has yet to show that it is ready. */
export function prepareNode(object: JsonObject): JsonObject {
  const taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
  return mapPart(object, 'spec', (spec) => {
    const taints = parts(spec, 'taints');
    const isThere = taints.some((each) => text(each, 'key') === taint.key && text(each, 'effect') === taint.effect);
    return isThere ? spec : { ...spec, taints: [...taints, taint] };
  });
}

/** A volume stays while it is in use. */
export function prepareVolume(object: JsonObject, now: Time): JsonObject {
  const status = { phase: 'Pending', lastPhaseTransitionTime: now };
  return withFinalizer({ ...object, status }, 'kubernetes.io/pv-protection');
}

/** Sets a volume's `lastPhaseTransitionTime` when its phase changes, unless the writer set it. */
export function prepareVolumeUpdate(object: JsonObject, old: JsonObject, subresource: string, now: Time): JsonObject {
  const kept = keepStatus(object, old, subresource);
  if (subresource !== 'status') return kept;
  const key = 'lastPhaseTransitionTime';
  const before = part(old, 'status');
  return mapPart(kept, 'status', (status) => {
    const isSame = text(status, 'phase') === text(before, 'phase');
    const [since, given] = [text(before, key), text(status, key)];
    if (isSame) return given === '' && since !== '' ? { ...status, [key]: since } : status;
    return given === '' || given === since ? { ...status, [key]: now } : status;
  });
}

/** A claim stays while pods use it. */
export function prepareClaim(object: JsonObject): JsonObject {
  return withFinalizer({ ...object, status: { phase: 'Pending' } }, 'kubernetes.io/pvc-protection');
}

function withFinalizer(object: JsonObject, finalizer: string): JsonObject {
  const meta = metaOf(object);
  const finalizers = texts(meta, 'finalizers');
  if (finalizers.includes(finalizer)) return object;
  return { ...object, metadata: { ...meta, finalizers: [...finalizers, finalizer] } };
}

/** Plain texts of a secret are kept among its data. */
export function foldSecret(object: JsonObject): JsonObject {
  const plain = textEntries(object, 'stringData');
  if (plain.length === 0) return object;
  const encoded = Object.fromEntries(plain.map(([key, value]) => [key, Buffer.from(value, 'utf8').toString('base64')]));
  return { ...without(object, 'stringData'), data: { ...part(object, 'data'), ...encoded } };
}

/** Bytes that are not there come back from storage as empty ones. */
export function storeBytes(object: JsonObject): JsonObject {
  const stored = (data: JsonObject) => mapObject(data, (value) => value ?? '');
  return mapPart(mapPart(object, 'data', stored), 'binaryData', stored);
}

/** A service account refers to its secrets by name alone. */
export function prepareServiceAccount(object: JsonObject): JsonObject {
  return mapParts(object, 'secrets', (secret) => (secret['name'] === undefined ? {} : { name: secret['name'] }));
}

/** Coordinated leader election is off. */
export function prepareLease(object: JsonObject): JsonObject {
  return mapPart(object, 'spec', (spec) => without(spec, 'preferredHolder', 'strategy'));
}
