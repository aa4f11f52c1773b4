import { ownValue } from '@manta/base';
import { isObject, type JsonObject } from '../object/json.ts';
import { textAt, valueAt } from '../registry/json-path.ts';
import type { PrinterColumn } from '../registry/printer-column.ts';
import { AGE, column, field, NONE, numberAt, objectsAt, sizeAt, wide } from './column.ts';

/** The columns of nodes. */
export const NODE_COLUMNS: readonly PrinterColumn[] = [
  column('Status', nodeStatus),
  column('Roles', nodeRoles),
  AGE,
  field('Version', 'status.nodeInfo.kubeletVersion'),
  wide('Internal-IP', (node) => addressOf(node, 'InternalIP')),
  wide('External-IP', (node) => addressOf(node, 'ExternalIP')),
  wide('OS-Image', (node) => textAt(node, 'status.nodeInfo.osImage') || '<unknown>'),
  wide('Kernel-Version', (node) => textAt(node, 'status.nodeInfo.kernelVersion') || '<unknown>'),
  wide('Container-Runtime', (node) => textAt(node, 'status.nodeInfo.containerRuntimeVersion') || '<unknown>'),
];

function nodeStatus(node: JsonObject): string {
  const ready = objectsAt(node, 'status.conditions').find(({ type }) => type === 'Ready');
  const state = ready === undefined ? 'Unknown' : ready['status'] === 'True' ? 'Ready' : 'NotReady';
  return valueAt(node, 'spec.unschedulable') === true ? `${state},SchedulingDisabled` : state;
}

const ROLE_PREFIX = 'node-role.kubernetes.io/';

function nodeRoles(node: JsonObject): string {
  const labels = valueAt(node, 'metadata.labels');
  const all = isObject(labels) ? Object.entries(labels) : [];
  const roles = all.flatMap(([key, value]) => {
    if (key.startsWith(ROLE_PREFIX)) return [key.slice(ROLE_PREFIX.length)];
    return key === 'kubernetes.io/role' && typeof value === 'string' ? [value] : [];
  });
  return roles.length === 0 ? NONE : [...new Set(roles)].toSorted().join(',');
}

function addressOf(node: JsonObject, type: string): string {
  const found = objectsAt(node, 'status.addresses').find((address) => address['type'] === type);
  return found === undefined ? NONE : textAt(found, 'address');
}

/** The columns of resource quotas. */
export const QUOTA_COLUMNS: readonly PrinterColumn[] = [
  column('Request', (quota) => amounts(quota, (name) => !name.startsWith('limits.'))),
  column('Limit', (quota) => amounts(quota, (name) => name.startsWith('limits.'))),
  AGE,
];

function amounts(quota: JsonObject, isWanted: (name: string) => boolean): string {
  const hard = valueAt(quota, 'status.hard');
  const used = valueAt(quota, 'status.used');
  const names = isObject(hard) ? Object.keys(hard).filter(isWanted).toSorted() : [];
  const amount = (map: unknown, name: string) => {
    const value = isObject(map) ? ownValue(map, name) : undefined;
    return typeof value === 'string' ? value : '0';
  };
  return names.map((name) => `${name}: ${amount(used, name)}/${amount(hard, name)}`).join(', ');
}

/** The columns of role bindings, in a namespace or not. */
export const BINDING_COLUMNS: readonly PrinterColumn[] = [
  column('Role', (binding) => `${textAt(binding, 'roleRef.kind')}/${textAt(binding, 'roleRef.name')}`),
  AGE,
  wide('Users', (binding) => subjects(binding, 'User')),
  wide('Groups', (binding) => subjects(binding, 'Group')),
  wide('ServiceAccounts', (binding) => subjects(binding, 'ServiceAccount')),
];

function subjects(binding: JsonObject, kind: string): string {
  return objectsAt(binding, 'subjects')
    .filter((subject) => subject['kind'] === kind)
    .map((subject) =>
      kind === 'ServiceAccount'
        ? `${textAt(subject, 'namespace')}/${textAt(subject, 'name')}`
        : textAt(subject, 'name'),
    )
    .join(', ');
}

/** The columns of priority classes. */
export const PRIORITY_COLUMNS: readonly PrinterColumn[] = [
  column('Value', (object) => numberAt(object, 'value'), 'integer'),
  column('Global-Default', (object) => object['globalDefault'] === true, 'boolean'),
  AGE,
  field('PreemptionPolicy', 'preemptionPolicy', 'PreemptLowerPriority'),
];

/** The columns of webhook configurations. */
export const WEBHOOK_COLUMNS: readonly PrinterColumn[] = [
  column('Webhooks', (object) => objectsAt(object, 'webhooks').length, 'integer'),
  AGE,
];

/** The columns of config maps and secrets. */
export const CONFIG_MAP_COLUMNS: readonly PrinterColumn[] = [
  column('Data', (object) => sizeAt(object, 'data') + sizeAt(object, 'binaryData')),
  AGE,
];
export const SECRET_COLUMNS: readonly PrinterColumn[] = [
  field('Type', 'type'),
  column('Data', (object) => sizeAt(object, 'data')),
  AGE,
];

/** The columns of ingress classes. */
export const INGRESS_CLASS_COLUMNS: readonly PrinterColumn[] = [
  field('Controller', 'spec.controller'),
  column('Parameters', parameters),
  AGE,
];

function parameters(object: JsonObject): string {
  const kind = textAt(object, 'spec.parameters.kind');
  if (kind === '') return NONE;
  const group = textAt(object, 'spec.parameters.apiGroup');
  return `${group === '' ? kind : `${kind}.${group}`}/${textAt(object, 'spec.parameters.name')}`;
}
