import {
  type Amount,
  addQuantities,
  type PersistentVolumeClaim,
  type Pod,
  parseQuantity,
  type Quantity,
  quantityOf,
  type Service,
} from '@manta/api';
import type { ResourceInfo } from '../object/resource-info.ts';
import type { StoredObject } from '../object/stored-object.ts';
import { hasPodEnded } from '../object/pod-state.ts';
import { podTotal } from './pod-requests.ts';

/** Amounts by the name that a quota gives them: `pods`, `requests.cpu`, `count/jobs.batch` … */
export type Usage = ReadonlyMap<string, Amount>;

type Named = Pick<ResourceInfo, 'group' | 'plural'>;

/** Core kinds that quotas count by their bare name. */
const COUNTED = [
  'configmaps',
  'persistentvolumeclaims',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'services',
];
const COMPUTE =
  /^(requests\.|limits\.)?(cpu|memory|ephemeral-storage)$|^(requests\.)?hugepages-|^requests\.[^/]+\/|^pods$/;
const STORAGE = /^requests\.storage$|\.storageclass\.storage\.k8s\.io\/(requests\.storage|persistentvolumeclaims)$/;
const SERVICES = ['services.loadbalancers', 'services.nodeports'];
const ONE = quantityOf(1);

/** What one object uses up. */
export function objectUsage(resource: Named, object: StoredObject): Usage {
  const usage = new Map<string, Amount>([[countName(resource), ONE]]);
  if (resource.group !== '') return usage;
  if (COUNTED.includes(resource.plural)) usage.set(resource.plural, ONE);
  if (resource.plural === 'pods') return new Map([...usage, ...podUsage(object)]);
  if (resource.plural === 'services') return new Map([...usage, ...serviceUsage(object)]);
  if (resource.plural === 'persistentvolumeclaims') return new Map([...usage, ...claimUsage(object)]);
  return usage;
}

/** Whether a name of a quota is one that can be counted here. */
export function isCountable(name: string, resources: readonly Named[]): boolean {
  if (name.startsWith('count/')) return resources.some((resource) => countName(resource) === name);
  return COUNTED.includes(name) || SERVICES.includes(name) || COMPUTE.test(name) || STORAGE.test(name);
}

/** The sum of two usages. */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum = new Map(a);
  for (const [name, amount] of b) sum.set(name, addQuantities(sum.get(name) ?? quantityOf(0), amount));
  return sum;
}

/** `count/pods`, `count/jobs.batch`. */
function countName({ group, plural }: Named): string {
  return group === '' ? `count/${plural}` : `count/${plural}.${group}`;
}

/** A pod that has ended uses nothing. */
function podUsage(pod: Pod): Usage {
  if (hasPodEnded(pod)) return new Map();
  const requests = withFormats(pod, 'requests');
  const usage = new Map<string, Amount>([['pods', ONE]]);
  for (const [name, amount] of requests) {
    usage.set(`requests.${name}`, amount);
    if (!name.includes('/')) usage.set(name, amount);
  }
  for (const [name, amount] of withFormats(pod, 'limits')) if (!name.includes('/')) usage.set(`limits.${name}`, amount);
  return usage;
}

/** The totals of a pod, each written in the way in which its first container has it. */
function withFormats(pod: Pod, which: 'requests' | 'limits'): Usage {
  const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
  return new Map(
    [...podTotal(pod, which)].map(([name, nanos]) => {
      const written = containers.map(({ resources }) => resources?.[which]?.[name]).find((text) => text !== undefined);
      return [name, { nanos, format: read(written).format }];
    }),
  );
}

function serviceUsage({ spec }: Service): Usage {
  const ports = quantityOf(spec?.ports?.length ?? 0);
  if (spec?.type === 'NodePort') return new Map([['services.nodeports', ports]]);
  if (spec?.type !== 'LoadBalancer') return new Map();
  const nodePorts = spec.allocateLoadBalancerNodePorts === false ? quantityOf(0) : ports;
  return new Map([
    ['services.loadbalancers', ONE],
    ['services.nodeports', nodePorts],
  ]);
}

function claimUsage({ spec }: PersistentVolumeClaim): Usage {
  const storage = read(spec?.resources?.requests?.['storage']);
  const storageClass = spec?.storageClassName ?? '';
  const usage = new Map([['requests.storage', storage]]);
  if (storageClass === '') return usage;
  const prefix = `${storageClass}.storageclass.storage.k8s.io`;
  return usage.set(`${prefix}/requests.storage`, storage).set(`${prefix}/persistentvolumeclaims`, ONE);
}

function read(quantity: Quantity | undefined): Amount {
  const parsed = parseQuantity(quantity ?? '0');
  return parsed.ok ? parsed.value : quantityOf(0);
}
