import {
  AUTH_TOKEN_KEY,
  type Container,
  ContainerName,
  clusterObjectNames,
  EnvName,
  EnvValue,
  isAuthEnabled,
  isK8sAuthEnabled,
  MountPath,
  type RayClusterSpec,
  TOKEN_FILE,
  VolumeName,
} from '@manta/api';
import { addMissingEnv } from './container-env.ts';
import { addMissingVolume } from './mounts.ts';
import { mapContainer, mapInitContainer, mapRayContainer, type PodDraft } from './pod-draft.ts';

/** Gives a container the token that Ray requires, or lets it use its Kubernetes token. */
export function withAuth(container: Container, spec: RayClusterSpec, cluster: string): Container {
  if (!isAuthEnabled(spec)) return container;
  const mode = { name: EnvName.AuthMode, value: EnvValue.AuthModeToken };
  if (isK8sAuthEnabled(spec)) {
    const withMode = addMissingEnv(container, [
      mode,
      { name: EnvName.EnableK8sTokenAuth, value: EnvValue.EnableK8sTokenAuth },
    ]);
    return withTokenMount(withMode);
  }
  const name = clusterObjectNames.authSecret(cluster, spec.authOptions?.secretName);
  const token = { name: EnvName.AuthToken, valueFrom: { secretKeyRef: { name, key: AUTH_TOKEN_KEY } } };
  return addMissingEnv(container, [mode, token]);
}

/**
 * Token authentication for a whole pod: the Ray container, the init container that waits for the GCS, a sidecar submitter that was built
 * before tokens were enabled, and the volume that they share.
 */
export function withPodAuth(draft: PodDraft, spec: RayClusterSpec, cluster: string): PodDraft {
  if (!isAuthEnabled(spec)) return draft;
  const change = (container: Container) => withAuth(container, spec, cluster);
  const started = mapInitContainer(mapRayContainer(draft, change), ContainerName.WaitGcsReady, change);
  const wired = mapContainer(started, ContainerName.Submitter, change);
  return isK8sAuthEnabled(spec) ? addMissingVolume(wired, TOKEN_VOLUME) : wired;
}

/** The volume that a pod needs when its containers use Kubernetes tokens. */
export const TOKEN_VOLUME = {
  name: VolumeName.Token,
  projected: { sources: [{ serviceAccountToken: { path: TOKEN_FILE } }] },
} as const;

function withTokenMount(container: Container): Container {
  const { volumeMounts = [] } = container;
  if (volumeMounts.some(({ name }) => name === VolumeName.Token)) return container;
  const mount = { name: VolumeName.Token, mountPath: MountPath.Token, readOnly: true };
  return { ...container, volumeMounts: [...volumeMounts, mount] };
}
