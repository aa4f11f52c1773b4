import { isSameJson, type Service, type ServicePort } from '@manta/api';

/** How a live head Service compares to the one that is wanted. */
export interface HeadServiceAlignment {
  /** The Service as it should be; undefined when it is so already. */
  readonly aligned: Service | undefined;
  /** What is wanted and cannot be had without making the Service anew. */
  readonly impossible: string | undefined;
}

/**
 * Brings a head Service up to date: its ports, labels, annotations and type. What others have added stays, and so do its addresses.
 * Whether it has an address of its own is decided when it is made and never changes; nor does its selector, since the head pod keeps the
 * labels that it was made with.
 */
export function alignHeadService(live: Service, wanted: Service): HeadServiceAlignment {
  const metadata = {
    ...live.metadata,
    ...merged('labels', live.metadata?.labels, wanted.metadata?.labels),
    ...merged('annotations', live.metadata?.annotations, wanted.metadata?.annotations),
  };
  const isHeadless = live.spec?.clusterIP === 'None';
  const liveType = live.spec?.type ?? 'ClusterIP';
  const wantedType = wanted.spec?.type ?? 'ClusterIP';
  const isStuck = isHeadless !== (wanted.spec?.clusterIP === 'None');
  const spec = {
    ...live.spec,
    ...(isStuck ? {} : { type: wantedType }),
    ports: alignPorts(live.spec?.ports ?? [], wanted.spec?.ports ?? []),
  };
  const aligned = { ...live, metadata, spec };
  const isSame = isSameJson(aligned, { ...live, spec: { ...live.spec, type: liveType } });
  return {
    aligned: isSame ? undefined : aligned,
    impossible: isStuck
      ? isHeadless
        ? `type ${wantedType} with an address of its own`
        : 'no address of its own'
      : undefined,
  };
}

/** Wanted ports in their order, then those of others; a port that was renamed or moved is not one of others'. */
function alignPorts(live: readonly ServicePort[], wanted: readonly ServicePort[]): readonly ServicePort[] {
  const same = (a: ServicePort, b: ServicePort) =>
    a.name === b.name || (a.port === b.port && protocol(a) === protocol(b));
  const known = wanted.map((port) => {
    const before = live.find(({ name }) => name === port.name) ?? live.find((each) => same(each, port));
    // Unless told otherwise, a port leads to the one of the same number.
    return { ...before, ...port, protocol: protocol(port), targetPort: port.targetPort ?? port.port };
  });
  const foreign = live.filter((port) => !wanted.some((each) => same(each, port)));
  const next = [...known, ...foreign];
  const isSame = isSameJson(next.toSorted(byName), [...live].toSorted(byName));
  return isSame ? live : next;
}

function protocol(port: ServicePort): string {
  return port.protocol ?? 'TCP';
}

function byName(a: ServicePort, b: ServicePort): number {
  return (a.name ?? '') < (b.name ?? '') ? -1 : 1;
}

type Words = Readonly<Record<string, string>>;

function merged(key: string, live: Words | undefined, wanted: Words = {}): Readonly<Record<string, Words>> {
  return Object.keys(wanted).length === 0 ? {} : { [key]: { ...live, ...wanted } };
}
