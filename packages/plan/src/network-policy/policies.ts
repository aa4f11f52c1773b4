import {
  clusterObjectNames,
  DefaultPort,
  GroupName,
  JobSubmissionMode,
  Label,
  type NetworkPolicy,
  type NetworkPolicyEgressRule,
  type NetworkPolicyIngressRule,
  NetworkPolicyMode,
  type NetworkPolicyOptions,
  type NetworkPolicyRules,
  type NetworkPolicySpec,
  NodeType,
  networkPolicyModeOf,
  OriginCrd,
  type RayCluster,
  type RayClusterSpec,
  type StringMap,
} from '@manta/api';
import { childMetadata, clusterLabels } from '../build/child-metadata.ts';

/** The desired policies: one for the head and one for each worker group; none if the cluster does not enable them. */
export function buildNetworkPolicies(cluster: RayCluster, spec: RayClusterSpec): readonly NetworkPolicy[] {
  const { networkPolicy } = spec;
  if (networkPolicy === undefined) return [];
  const name = cluster.metadata?.name ?? '';
  const head = policy(cluster, networkPolicy, {
    name: clusterObjectNames.headNetworkPolicy(name),
    group: GroupName.Head,
    pods: { [Label.NodeType]: NodeType.Head },
    ingress: submitterRules(cluster, spec),
    rules: networkPolicy.head,
  });
  const workers = (spec.workerGroupSpecs ?? []).map(({ groupName }) =>
    policy(cluster, networkPolicy, {
      name: clusterObjectNames.workerNetworkPolicy(name, groupName),
      group: groupName,
      pods: { [Label.NodeType]: NodeType.Worker, [Label.Group]: groupName },
      ingress: [],
      rules: networkPolicy.workerGroups?.find((entry) => entry.groupName === groupName) ?? networkPolicy.worker,
    }),
  );
  return [head, ...workers];
}

interface PolicyParts {
  readonly name: string;
  readonly group: string;
  readonly pods: StringMap;
  readonly ingress: readonly NetworkPolicyIngressRule[];
  readonly rules: NetworkPolicyRules | undefined;
}

function policy(cluster: RayCluster, options: NetworkPolicyOptions, parts: PolicyParts): NetworkPolicy {
  const mine = { [Label.Cluster]: cluster.metadata?.name ?? '' };
  const peers = [{ podSelector: { matchLabels: mine } }];
  const mode = networkPolicyModeOf(options);
  const closesIngress = mode !== NetworkPolicyMode.DenyAllEgress;
  const closesEgress = mode !== NetworkPolicyMode.DenyAllIngress;
  const ingress: readonly NetworkPolicyIngressRule[] = [
    { from: peers },
    ...parts.ingress,
    ...(parts.rules?.ingressRules ?? []),
  ];
  const egress: readonly NetworkPolicyEgressRule[] = [{ to: peers }, ...(parts.rules?.egressRules ?? [])];
  const spec: NetworkPolicySpec = {
    podSelector: { matchLabels: { ...mine, ...parts.pods } },
    policyTypes: [...(closesIngress ? ['Ingress'] : []), ...(closesEgress ? ['Egress'] : [])],
    ...(closesIngress ? { ingress: ingress.map((rule) => withProtocols(rule)) } : {}),
    ...(closesEgress ? { egress: egress.map((rule) => withProtocols(rule)) } : {}),
  };
  const labels = { ...clusterLabels(cluster), [Label.Group]: parts.group };
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: childMetadata(cluster, parts.name, labels),
    spec,
  };
}

/** A submitter is not a pod of the cluster, but must reach the dashboard. */
function submitterRules({ metadata = {} }: RayCluster, spec: RayClusterSpec): readonly NetworkPolicyIngressRule[] {
  if (metadata.labels?.[Label.JobSubmissionMode] !== JobSubmissionMode.K8sJob) return [];
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner?.kind !== OriginCrd.RayJob || !owner.apiVersion.startsWith('ray.io/')) return [];
  const labels = { [Label.OriginatedFromCrName]: owner.name, [Label.OriginatedFromCrd]: OriginCrd.RayJob };
  const port = dashboardPort(spec);
  return [{ from: [{ podSelector: { matchLabels: labels } }], ports: [{ protocol: 'TCP', port }] }];
}

/** The head's dashboard port. */
export function dashboardPort({ headGroupSpec }: RayClusterSpec): number {
  const asked = Number(headGroupSpec.rayStartParams?.['dashboard-port']);
  return Number.isInteger(asked) && asked > 0 ? asked : DefaultPort.Dashboard;
}

/** In the API server's stored form, so that it compares equal. */
function withProtocols<Rule extends Pick<NetworkPolicyIngressRule, 'ports'>>(rule: Rule): Rule {
  return rule.ports === undefined
    ? rule
    : { ...rule, ports: rule.ports.map((port) => ({ ...port, protocol: port.protocol ?? 'TCP' })) };
}
