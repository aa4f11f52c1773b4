import { isSameJson, type Service, type ServicePort } from '@manta/api';

/** How the existing head Service differs from the desired one. */
export interface HeadServiceAlignment {
  /** The Service to write; undefined when nothing has to change. */
  readonly aligned: Service | undefined;
  /** Desired changes that are possible only by recreating the Service. */
  readonly impossible: string | undefined;
}

/**
 * Updates the ports, labels, annotations and type of a head Service. Keeps fields that others added, and its addresses. Whether it has a
 * ClusterIP is decided at creation and never changes, nor does its selector: the head pod keeps the labels it was created with.
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

/** Desired ports in their order, then ports that others added. A renamed or renumbered port of ours does not count as added. */
function alignPorts(live: readonly ServicePort[], wanted: readonly ServicePort[]): readonly ServicePort[] {
  const same = (a: ServicePort, b: ServicePort) =>
    a.name === b.name || (a.port === b.port && protocol(a) === protocol(b));
  const known = wanted.map((port) => {
    const before = live.find(({ name }) => name === port.name) ?? live.find((each) => same(each, port));
    // Without a targetPort, a port leads to the same number.
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
