import type { LabelSelector, NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort, StringMap } from '@manta/api';

/** One end of a connection. An address outside the cluster has no labels. */
export interface End {
  readonly namespace?: string;
  readonly labels?: StringMap;
  readonly ip?: string;
}

export interface Connection {
  readonly from: End;
  readonly to: End;
  readonly port: number;
  readonly protocol?: 'TCP' | 'UDP';
}

/**
 * Whether a network that enforces these policies of namespace `namespace` allows a connection: each end that a policy selects for a
 * direction needs a rule of such a policy that allows the other end.
 */
export function isAllowed(policies: readonly NetworkPolicy[], namespace: string, connection: Connection): boolean {
  const { from, to } = connection;
  return (
    isOpen(policies, namespace, from, 'Egress', (spec) =>
      spec.egress?.some((rule) => fits(rule.to, rule.ports, namespace, to, connection)),
    ) &&
    isOpen(policies, namespace, to, 'Ingress', (spec) =>
      spec.ingress?.some((rule) => fits(rule.from, rule.ports, namespace, from, connection)),
    )
  );
}

type Spec = NonNullable<NetworkPolicy['spec']>;

function isOpen(
  policies: readonly NetworkPolicy[],
  namespace: string,
  end: End,
  direction: 'Ingress' | 'Egress',
  allows: (spec: Spec) => boolean | undefined,
): boolean {
  const specs = policies.flatMap(({ spec }) => (spec === undefined ? [] : [spec]));
  const about = specs.filter(
    (spec) =>
      end.namespace === namespace && selects(spec.podSelector, end.labels) && spec.policyTypes?.includes(direction),
  );
  return about.length === 0 || about.some((spec) => allows(spec) === true);
}

function fits(
  peers: readonly NetworkPolicyPeer[] | undefined,
  ports: readonly NetworkPolicyPort[] | undefined,
  namespace: string,
  other: End,
  { port, protocol = 'TCP' }: Connection,
): boolean {
  const isPort =
    ports === undefined || ports.some((each) => (each.protocol ?? 'TCP') === protocol && (each.port ?? port) === port);
  return isPort && (peers === undefined || peers.some((peer) => isPeer(peer, namespace, other)));
}

function isPeer(
  { ipBlock, namespaceSelector, podSelector }: NetworkPolicyPeer,
  namespace: string,
  other: End,
): boolean {
  if (ipBlock !== undefined) return other.ip !== undefined && isWithin(other.ip, ipBlock.cidr ?? '');
  if (other.namespace === undefined) return false;
  const isNamespace =
    namespaceSelector === undefined
      ? other.namespace === namespace
      : selects(namespaceSelector, { 'kubernetes.io/metadata.name': other.namespace });
  return isNamespace && (podSelector === undefined || selects(podSelector, other.labels));
}

function selects(selector: LabelSelector | undefined, labels: StringMap | undefined): boolean {
  return Object.entries(selector?.matchLabels ?? {}).every(([key, value]) => labels?.[key] === value);
}

function isWithin(ip: string, cidr: string): boolean {
  const [network = '', bits = '32'] = cidr.split('/');
  const number = (text: string) => text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const size = 2 ** (32 - Number(bits));
  return Math.floor(number(ip) / size) === Math.floor(number(network) / size);
}
