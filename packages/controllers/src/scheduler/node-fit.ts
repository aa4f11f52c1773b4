import { ownValue } from '@manta/base';
import type { Node, NodeSelectorTerm, Pod, Taint, Toleration } from '@manta/api';
import { hasLabels, meets, type Amounts, podRequests, readAmounts } from '@manta/apiserver';

/** A node and what is spoken for on it. */
export interface NodeLoad {
  readonly node: Node;
  readonly requested: Amounts;
  readonly podCount: number;
  /** `ip protocol port` of every host port in use. */
  readonly hostPorts: ReadonlySet<string>;
}

/** Why a pod does not fit a node. */
export interface Misfit {
  readonly reasons: readonly string[];
  /** Whether it might fit were other pods to go. */
  readonly couldPreempt: boolean;
}

const UNSCHEDULABLE_TAINT = 'node.kubernetes.io/unschedulable';

/** Checks a pod against a node in the order of the real scheduler, which gives the first reason only; undefined: it fits. */
export function misfitOf(pod: Pod, load: NodeLoad): Misfit | undefined {
  const { node } = load;
  if (node.spec?.unschedulable === true && !toleratesUnschedulable(pod)) return never('node(s) were unschedulable');
  if (untolerated(pod, node.spec?.taints ?? [], ['NoSchedule', 'NoExecute']) !== undefined) {
    return never('node(s) had untolerated taint(s)');
  }
  if (!matchesNode(pod, node)) return never("node(s) didn't match Pod's node affinity/selector");
  if (hostPortsOf(pod).some((port) => clashes(port, load.hostPorts))) {
    return { reasons: ["node(s) didn't have free ports for the requested pod ports"], couldPreempt: true };
  }
  return shortage(pod, load);
}

/** The first taint of these effects that the pod does not tolerate. */
export function untolerated(pod: Pod, taints: readonly Taint[], effects: readonly string[]): Taint | undefined {
  const tolerations = pod.spec?.tolerations ?? [];
  return taints
    .filter(({ effect }) => effects.includes(effect))
    .find((taint) => !tolerations.some((toleration) => tolerates(toleration, taint)));
}

/** Whether a toleration covers a taint. */
export function tolerates(
  { key = '', operator = 'Equal', value = '', effect = '' }: Toleration,
  taint: Taint,
): boolean {
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  return key !== '' && value === (taint.value ?? '');
}

/** `ip protocol port` of the host ports that a pod wants. */
export function hostPortsOf(pod: Pod): readonly string[] {
  return (pod.spec?.containers ?? [])
    .flatMap(({ ports = [] }) => ports)
    .filter(({ hostPort = 0 }) => hostPort > 0)
    .map(({ hostIP = '0.0.0.0', protocol = 'TCP', hostPort }) => `${hostIP || '0.0.0.0'} ${protocol} ${hostPort}`);
}

function clashes(port: string, used: ReadonlySet<string>): boolean {
  const [ip, ...rest] = port.split(' ');
  const tail = rest.join(' ');
  if (ip === '0.0.0.0') return [...used].some((other) => other.endsWith(` ${tail}`));
  return used.has(port) || used.has(`0.0.0.0 ${tail}`);
}

function toleratesUnschedulable(pod: Pod): boolean {
  return untolerated(pod, [{ key: UNSCHEDULABLE_TAINT, effect: 'NoSchedule' }], ['NoSchedule']) === undefined;
}

function matchesNode({ spec }: Pod, node: Node): boolean {
  if (!hasLabels(node.metadata?.labels, spec?.nodeSelector ?? {})) return false;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || required.nodeSelectorTerms.some((term) => matchesTerm(term, node));
}

/** A term without any condition matches nothing. */
function matchesTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, node: Node): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  const labels = node.metadata?.labels ?? {};
  return (
    matchExpressions.every(({ key, operator, values = [] }) => meets(ownValue(labels, key), operator, values)) &&
    matchFields.every(({ key, operator, values = [] }) =>
      meets(key === 'metadata.name' ? node.metadata?.name : undefined, operator, values),
    )
  );
}

function shortage(pod: Pod, { node, requested, podCount }: NodeLoad): Misfit | undefined {
  const allocatable = readAmounts(node.status?.allocatable ?? node.status?.capacity);
  const tooMany = BigInt(podCount + 1) * 1_000_000_000n > (allocatable.get('pods') ?? 0n) ? ['Too many pods'] : [];
  const wanted = [...podRequests(pod)].filter(([, amount]) => amount > 0n);
  const short = wanted.filter(([name, amount]) => (requested.get(name) ?? 0n) + amount > (allocatable.get(name) ?? 0n));
  const reasons = [...tooMany, ...short.map(([name]) => `Insufficient ${name}`)];
  if (reasons.length === 0) return undefined;
  const isHopeless = short.some(([name, amount]) => amount > (allocatable.get(name) ?? 0n));
  return { reasons, couldPreempt: !isHopeless };
}

function never(reason: string): Misfit {
  return { reasons: [reason], couldPreempt: false };
}
