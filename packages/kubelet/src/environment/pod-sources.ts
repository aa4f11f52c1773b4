import { ownValue } from '@manta/base';
import { type ConfigMap, type Container, parseQuantity, type Pod, quantityMilliValue, type Secret } from '@manta/api';

/** Where the values of a pod's variables and files come from. */
export interface PodSources {
  readonly pod: Pod;
  readonly podIp: string;
  readonly hostIp: string;
  /** What the node has: what a container without limits may use. */
  readonly nodeCapacity: Readonly<Record<string, string>>;
  configMap(name: string): ConfigMap | undefined;
  secret(name: string): Secret | undefined;
}

/** A field of the pod by its path, as the downward API names it; undefined when there is no such field. */
export function podField(sources: PodSources, path: string): string | undefined {
  const { pod, podIp, hostIp } = sources;
  const { metadata = {}, spec, status } = pod;
  const keyed = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(path);
  if (keyed !== null)
    return ownValue(keyed[1] === 'labels' ? metadata.labels : metadata.annotations, keyed[2] ?? '') ?? '';
  const fields: Readonly<Record<string, string | undefined>> = {
    'metadata.name': metadata.name,
    'metadata.namespace': metadata.namespace,
    'metadata.uid': metadata.uid,
    'metadata.labels': mapText(metadata.labels),
    'metadata.annotations': mapText(metadata.annotations),
    'spec.nodeName': spec?.nodeName,
    'spec.serviceAccountName': spec?.serviceAccountName,
    'status.hostIP': hostIp,
    'status.hostIPs': hostIp,
    'status.podIP': podIp || status?.podIP,
    'status.podIPs': podIp || status?.podIP,
  };
  return ownValue(fields, path);
}

/** A resource of a container in whole units of the divisor, rounded up; the node's where the container has no limit. */
export function resourceField(
  { nodeCapacity }: PodSources,
  container: Container,
  resource: string,
  divisor: string | number = '1',
): string {
  const [list, ...name] = resource.split('.');
  const key = name.join('.');
  const own = list === 'limits' ? container.resources?.limits : container.resources?.requests;
  const text = ownValue(own, key) ?? (list === 'limits' ? ownValue(nodeCapacity, key) : undefined) ?? '0';
  const amount = parseQuantity(text);
  const unit = parseQuantity(String(divisor) === '0' ? '1' : divisor);
  if (!amount.ok || !unit.ok) return '0';
  const [value, by] = [quantityMilliValue(amount.value), quantityMilliValue(unit.value)];
  return String(by === 0n ? 0n : (value + by - 1n) / by);
}

function mapText(map: Readonly<Record<string, string>> | undefined): string {
  return Object.entries(map ?? {})
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join('\n');
}

/** The text of a key of a ConfigMap; undefined when there is none. */
export function configMapValue(map: ConfigMap | undefined, key: string): Buffer | undefined {
  const text = ownValue(map?.data, key);
  if (text !== undefined) return Buffer.from(text);
  const binary = ownValue(map?.binaryData, key);
  return binary === undefined ? undefined : Buffer.from(binary, 'base64');
}

/** The bytes of a key of a Secret; undefined when there is none. */
export function secretValue(secret: Secret | undefined, key: string): Buffer | undefined {
  const encoded = ownValue(secret?.data, key);
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64');
}
