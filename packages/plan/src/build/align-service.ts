import {
  isRecord,
  type KubeObject,
  type Service,
  type ServicePort,
  type ServiceSpec,
  type StringMap,
} from '@manta/api';

/**
 * A Service as it should be, made from the one that is there; undefined when it says all that is wanted. Addresses stay, and so does what
 * others have added.
 */
export function alignService(live: Service, wanted: Service): Service | undefined {
  const { labels, annotations } = wanted.metadata ?? {};
  const isCurrent =
    says(sorted(live.spec), sorted({ ...wanted.spec, ...addressesOf(live) })) &&
    has(live.metadata?.labels, labels) &&
    has(live.metadata?.annotations, annotations);
  if (isCurrent) return undefined;
  const { ipFamilies, ipFamilyPolicy } = live.spec ?? {};
  const metadata = {
    ...live.metadata,
    labels: { ...live.metadata?.labels, ...labels },
    annotations: { ...live.metadata?.annotations, ...annotations },
  };
  return {
    ...live,
    metadata,
    spec: defined({
      ipFamilies,
      ipFamilyPolicy,
      ...wanted.spec,
      // Whether a Service has an address, and which, is decided when it is made.
      ...addressesOf(live),
    }),
  };
}

/** The addresses of a Service that has been given some, or is to have none. */
function addressesOf({ spec }: Service): ServiceSpec {
  const { clusterIP, clusterIPs } = spec ?? {};
  return clusterIP === undefined ? {} : { clusterIP, ...(clusterIPs === undefined ? {} : { clusterIPs }) };
}

/** Of labels and annotations the API server keeps what is empty, too. */
function has(live: StringMap = {}, wanted: StringMap = {}): boolean {
  return Object.entries(wanted).every(([key, value]) => live[key] === value);
}

/** Whether the object goes when the owner goes. */
export function isControlledBy({ metadata }: KubeObject, owner: string): boolean {
  return metadata?.ownerReferences?.some(({ controller, uid }) => controller === true && uid === owner) ?? false;
}

/**
 * Whether `live` says everything that `wanted` says; it may say more, such as what the API server filled in. What is empty, zero or off
 * need not be said: the API server does not keep it.
 */
function says(live: unknown, wanted: unknown): boolean {
  if (wanted === undefined || wanted === null) return true;
  if (Array.isArray(wanted)) {
    const items = live === undefined ? [] : live;
    return Array.isArray(items) && items.length === wanted.length && wanted.every((item, i) => says(items[i], item));
  }
  if (!isRecord(wanted)) return live === wanted || (live === undefined && isOff(wanted));
  const members = live === undefined ? {} : live;
  return isRecord(members) && Object.entries(wanted).every(([key, value]) => says(members[key], value));
}

function isOff(value: unknown): boolean {
  return value === false || value === 0 || value === '';
}

/** The order of ports means nothing; a selector, on the other hand, must say no more than is wanted. */
function sorted(spec: ServiceSpec | undefined): unknown {
  const byName = (a: ServicePort, b: ServicePort) => ((a.name ?? '') < (b.name ?? '') ? -1 : 1);
  const selector = Object.entries(spec?.selector ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { ...spec, ports: [...(spec?.ports ?? [])].toSorted(byName), selector };
}

function defined(spec: { readonly [Key in keyof ServiceSpec]: ServiceSpec[Key] | undefined }): ServiceSpec {
  return Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined));
}
