import { ownValue } from '@manta/base';
import { isObject, type JsonObject } from '../object/json.ts';
import { textAt, valueAt } from '../registry/json-path.ts';
import type { PrinterColumn } from '../registry/printer-column.ts';
import { AGE, column, field, textsAt, wide } from './column.ts';

const MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};
const UNSET = '<unset>';

/** The columns of volume claims. */
export const CLAIM_COLUMNS: readonly PrinterColumn[] = [
  column('Status', (claim) => (isDeleted(claim) ? 'Terminating' : textAt(claim, 'status.phase'))),
  field('Volume', 'spec.volumeName'),
  column('Capacity', (claim) =>
    textAt(claim, 'spec.volumeName') === '' ? '' : textAt(claim, 'status.capacity.storage'),
  ),
  column('Access Modes', (claim) =>
    textAt(claim, 'spec.volumeName') === '' ? '' : modes(claim, 'status.accessModes'),
  ),
  column('StorageClass', storageClass),
  field('VolumeAttributesClass', 'spec.volumeAttributesClassName', UNSET),
  AGE,
  wide('VolumeMode', (claim) => textAt(claim, 'spec.volumeMode') || UNSET),
];

/** The columns of volumes. */
export const VOLUME_COLUMNS: readonly PrinterColumn[] = [
  field('Capacity', 'spec.capacity.storage'),
  column('Access Modes', (volume) => modes(volume, 'spec.accessModes')),
  field('Reclaim Policy', 'spec.persistentVolumeReclaimPolicy'),
  column('Status', (volume) => (isDeleted(volume) ? 'Terminating' : textAt(volume, 'status.phase'))),
  column('Claim', claimText),
  column('StorageClass', storageClass),
  field('VolumeAttributesClass', 'spec.volumeAttributesClassName', UNSET),
  field('Reason', 'status.reason'),
  AGE,
  wide('VolumeMode', (volume) => textAt(volume, 'spec.volumeMode') || UNSET),
];

/** The columns of storage classes. */
export const STORAGE_CLASS_COLUMNS: readonly PrinterColumn[] = [
  field('Provisioner', 'provisioner'),
  field('ReclaimPolicy', 'reclaimPolicy', 'Delete'),
  field('VolumeBindingMode', 'volumeBindingMode', 'Immediate'),
  column('AllowVolumeExpansion', (object) => object['allowVolumeExpansion'] === true),
  AGE,
];

function isDeleted(object: JsonObject): boolean {
  return valueAt(object, 'metadata.deletionTimestamp') !== undefined;
}

function modes(object: JsonObject, path: string): string {
  return textsAt(object, path)
    .map((mode) => ownValue(MODES, mode) ?? mode)
    .join(',');
}

function storageClass(object: JsonObject): string {
  const annotations = valueAt(object, 'metadata.annotations');
  const old = isObject(annotations) ? annotations['volume.beta.kubernetes.io/storage-class'] : undefined;
  return typeof old === 'string' ? old : textAt(object, 'spec.storageClassName');
}

function claimText(volume: JsonObject): string {
  const name = textAt(volume, 'spec.claimRef.name');
  return name === '' ? '' : `${textAt(volume, 'spec.claimRef.namespace')}/${name}`;
}
