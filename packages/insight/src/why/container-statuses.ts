import type { ContainerStatus, Pod } from '@manta/api';
import { logKey, type World } from '../world.ts';

/** The containers of a pod as they run: init containers first. */
export function containerStatuses({ status }: Pod): readonly ContainerStatus[] {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
}

export function isInitContainer({ status }: Pod, { name }: ContainerStatus): boolean {
  return (status?.initContainerStatuses ?? []).some((init) => init.name === name);
}

/** The last lines of a container's output, if they were read. */
export function lastLines(world: World, pod: Pod, container: string, count = 8): readonly string[] {
  const { namespace = '', name = '' } = pod.metadata ?? {};
  const tail = world.logs.get(logKey(namespace, name, container));
  return tail === undefined ? [] : tail.lines.filter((line) => line.trim() !== '').slice(-count);
}
