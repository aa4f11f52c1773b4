import { type Container, EnvName, EnvValue, type EnvVar, Label, NodeType, OriginCrd, serviceNames } from '@manta/api';
import { addMissingEnv, appendEnv, envFromField } from './container-env.ts';
import type { BuildContext } from './context.ts';

/** Inputs of a Ray container's environment variables. */
export interface RayEnvInput {
  readonly nodeType: NodeType;
  readonly origin: OriginCrd;
  readonly fqdn: string;
  readonly headPort: string;
  readonly rayStart: string;
}

/** Adds the variables of every Ray container in KubeRay's order: `$(VAR)` resolves only to earlier entries. */
export function withRayEnv(container: Container, input: RayEnvInput, context: BuildContext): Container {
  const { nodeType, origin, fqdn, headPort, rayStart } = input;
  const isHead = nodeType === NodeType.Head;
  let result = addMissingEnv(container, context.podDefaults.defaultContainerEnvs ?? []);
  if (!isHead) result = appendEnv(result, headNameEnv(fqdn));
  result = appendEnv(result, [
    envFromField(EnvName.RayClusterName, `metadata.labels['${Label.Cluster}']`),
    envFromField(EnvName.RayClusterNamespace, 'metadata.namespace'),
    envFromField(EnvName.RayCloudInstanceId, 'metadata.name'),
    envFromField(EnvName.RayNodeTypeName, `metadata.labels['${Label.Group}']`),
    { name: EnvName.GeneratedRayStartCommand, value: rayStart },
  ]);
  result = addMissingEnv(result, [
    { name: EnvName.RayPort, value: headPort },
    ...(origin === OriginCrd.RayService ? FAST_FAILURE : []),
    { name: EnvName.RayAddress, value: `${isHead ? '127.0.0.1' : fqdn}:${headPort}` },
    { name: EnvName.UsageStatsKubeRayInUse, value: EnvValue.UsageStatsKubeRayInUse },
  ]);
  if (isHead) result = appendEnv(result, [usageTags(origin, context)]);
  return addMissingEnv(result, [
    { name: EnvName.DashboardEnableK8sDiskUsage, value: EnvValue.DashboardEnableK8sDiskUsage },
  ]);
}

/** The head's DNS name, for workers and all init containers. */
export function headNameEnv(fqdn: string): readonly EnvVar[] {
  return [
    { name: EnvName.FqRayIp, value: fqdn },
    { name: EnvName.RayIp, value: serviceNames.rayIp(fqdn) },
  ];
}

/** Settings that make a RayService detect a lost node quickly. */
const FAST_FAILURE: readonly EnvVar[] = [
  { name: EnvName.TaskWaitForDeathInfoTimeoutMs, value: EnvValue.TaskWaitForDeathInfoTimeoutMs },
  { name: EnvName.GcsServerRequestTimeoutSeconds, value: EnvValue.GcsServerRequestTimeoutSeconds },
  { name: EnvName.ServeKvTimeoutSeconds, value: EnvValue.ServeKvTimeoutSeconds },
];

function usageTags(origin: OriginCrd, { operatorVersion }: BuildContext): EnvVar {
  return { name: EnvName.UsageStatsExtraTags, value: `kuberay_version=${operatorVersion};kuberay_crd=${origin}` };
}
