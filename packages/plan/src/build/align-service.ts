import {
  isRecord,
  type KubeObject,
  type Service,
  type ServicePort,
  type ServiceSpec,
  type StringMap,
} from '@manta/api';

/**
 * The existing Service with the desired fields; undefined when it has them all. Keeps addresses and fields that others added.
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
      // Whether a Service has a ClusterIP, and which, is decided at creation.
      ...addressesOf(live),
    }),
  };
}

/** The addresses that the API server assigned, or `None` for a headless Service. */
function addressesOf({ spec }: Service): ServiceSpec {
  const { clusterIP, clusterIPs } = spec ?? {};
  return clusterIP === undefined ? {} : { clusterIP, ...(clusterIPs === undefined ? {} : { clusterIPs }) };
}

/** The API server keeps empty values in labels and annotations. */
function has(live: StringMap = {}, wanted: StringMap = {}): boolean {
  return Object.entries(wanted).every(([key, value]) => live[key] === value);
}

/** Whether garbage collection deletes the object with this owner. */
export function isControlledBy({ metadata }: KubeObject, owner: string): boolean {
  return metadata?.ownerReferences?.some(({ controller, uid }) => controller === true && uid === owner) ?? false;
}

/**
 * Whether `live` has every field of `wanted`. It may have more, e.g. defaults of the API server. Fields that are empty, zero or false may be
 * absent: the API server drops them.
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

/** Ports match in any order; a selector must not have more labels than desired. */
function sorted(spec: ServiceSpec | undefined): unknown {
  const byName = (a: ServicePort, b: ServicePort) => ((a.name ?? '') < (b.name ?? '') ? -1 : 1);
  const selector = Object.entries(spec?.selector ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { ...spec, ports: [...(spec?.ports ?? [])].toSorted(byName), selector };
}

function defined(spec: { readonly [Key in keyof ServiceSpec]: ServiceSpec[Key] | undefined }): ServiceSpec {
  return Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined));
}
