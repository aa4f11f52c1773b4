import { type Container, type ContainerName, MountPath, type Quantity, VolumeName } from '@manta/api';
import { addMissingVolume, addMountAtFreePath, mountsPath } from './mounts.ts';
import { mapContainer, mapRayContainer, type PodDraft, rayContainerOf } from './pod-draft.ts';
import type { StartParams } from './start-params.ts';

/** Memory for Ray's object store, unless the user puts the store elsewhere. */
export function withSharedMemory(draft: PodDraft, params: StartParams): PodDraft {
  const container = rayContainerOf(draft.spec);
  if (params['plasma-directory'] !== undefined || mountsPath(container, MountPath.SharedMemory)) return draft;
  const sizeLimit: Quantity | undefined =
    container.resources?.limits?.['memory'] ?? container.resources?.requests?.['memory'];
  const emptyDir = { medium: 'Memory', ...(sizeLimit === undefined ? {} : { sizeLimit }) };
  const mounted = mapRayContainer(draft, (ray) => mount(ray, VolumeName.SharedMemory, MountPath.SharedMemory));
  return addMissingVolume(mounted, { name: VolumeName.SharedMemory, emptyDir });
}

/** Lets a sidecar read the logs that Ray writes. */
export function withSharedLogs(
  draft: PodDraft,
  sidecar: typeof ContainerName.Autoscaler | typeof ContainerName.Collector,
): PodDraft {
  const needsVolume = draft.spec.containers.some(
    (container, i) => (i === 0 || container.name === sidecar) && !mountsPath(container, MountPath.Logs),
  );
  const mounted = mapContainer(mapRayContainer(draft, shareLogs), sidecar, shareLogs);
  return needsVolume ? addMissingVolume(mounted, { name: VolumeName.Logs, emptyDir: {} }) : mounted;
}

function shareLogs(container: Container): Container {
  return mount(container, VolumeName.Logs, MountPath.Logs);
}

function mount(container: Container, name: string, mountPath: string): Container {
  return addMountAtFreePath(container, { name, mountPath });
}
