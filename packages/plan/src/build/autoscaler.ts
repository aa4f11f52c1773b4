import { type Container, ContainerName, EnvName, EnvValue, isTlsEnabled, Label, type RayClusterSpec } from '@manta/api';
import { withAuth } from './auth.ts';
import { appendEnv, envFromField } from './container-env.ts';
import type { BuildContext } from './context.ts';
import { bash } from './shell.ts';
import { withTls } from './tls.ts';

const START = 'ray kuberay-autoscaler --cluster-name $(RAY_CLUSTER_NAME) --cluster-namespace $(RAY_CLUSTER_NAMESPACE)';
const RESOURCES = { cpu: '500m', memory: '512Mi' } as const;

/** Ray's autoscaler, a sidecar of the head that requests workers by patching the RayCluster. */
export function autoscalerContainer(
  spec: RayClusterSpec,
  cluster: string,
  rayImage: string | undefined,
  context: BuildContext,
): Container {
  const base: Container = {
    name: ContainerName.Autoscaler,
    ...(rayImage === undefined ? {} : { image: rayImage }),
    imagePullPolicy: 'IfNotPresent',
    command: bash(context),
    args: [START],
    env: [
      envFromField(EnvName.RayClusterName, `metadata.labels['${Label.Cluster}']`),
      envFromField(EnvName.RayClusterNamespace, 'metadata.namespace'),
      envFromField(EnvName.RayHeadPodName, 'metadata.name'),
      { name: EnvName.KubeRayCrdVersion, value: EnvValue.KubeRayCrdVersion },
      { name: EnvName.GeneratedAutoscalerStartCommand, value: START },
    ],
    resources: { limits: RESOURCES, requests: RESOURCES },
  };
  const authorized = withAuth(base, spec, cluster);
  return withOptions(isTlsEnabled(spec, context.gates) ? withTls(authorized) : authorized, spec);
}

/** The variable that selects the autoscaler version; none if Ray decides. */
export function autoscalerVersionEnv(version: string | undefined): readonly { name: string; value: string }[] {
  if (version === 'v2') return [{ name: EnvName.EnableAutoscalerV2, value: 'true' }];
  if (version === 'v1') return [{ name: EnvName.EnableAutoscalerV2, value: 'false' }];
  return [];
}

function withOptions(container: Container, { autoscalerOptions: options = {} }: RayClusterSpec): Container {
  const mounts = [...(container.volumeMounts ?? []), ...(options.volumeMounts ?? [])];
  const { image, imagePullPolicy, resources, securityContext, command = [], args = [], envFrom = [] } = options;
  return {
    ...appendEnv(container, options.env ?? []),
    ...(image === undefined ? {} : { image }),
    ...(imagePullPolicy === undefined ? {} : { imagePullPolicy }),
    ...(resources === undefined ? {} : { resources }),
    ...(securityContext === undefined ? {} : { securityContext }),
    ...(command.length === 0 ? {} : { command }),
    ...(args.length === 0 ? {} : { args }),
    ...(envFrom.length === 0 ? {} : { envFrom }),
    ...(mounts.length === 0 ? {} : { volumeMounts: mounts }),
  };
}
