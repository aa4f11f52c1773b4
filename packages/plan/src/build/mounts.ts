import type { Container, Volume, VolumeMount } from '@manta/api';
import { type PodDraft, withSpec } from './pod-draft.ts';

/** Adds a volume unless the pod has one of that name: the user's definition wins. */
export function addMissingVolume(draft: PodDraft, volume: Volume): PodDraft {
  const { volumes = [] } = draft.spec;
  return volumes.some(({ name }) => name === volume.name) ? draft : withSpec(draft, { volumes: [...volumes, volume] });
}

/** Appends a mount unless the container mounts that volume or that path already. */
export function addMissingMount(container: Container, mount: VolumeMount): Container {
  const { volumeMounts = [] } = container;
  const isTaken = volumeMounts.some(({ name, mountPath }) => name === mount.name || mountPath === mount.mountPath);
  return isTaken ? container : { ...container, volumeMounts: [...volumeMounts, mount] };
}

/** Appends a mount unless exactly that path is mounted. */
export function addMountAtFreePath(container: Container, mount: VolumeMount): Container {
  const { volumeMounts = [] } = container;
  return mountsPath(container, mount.mountPath) ? container : { ...container, volumeMounts: [...volumeMounts, mount] };
}

export function mountsPath(container: Container, path: string): boolean {
  return container.volumeMounts?.some(({ mountPath }) => mountPath === path) ?? false;
}
