import type { ContainerStatus, Pod } from '@manta/api';

/** One run of a container: a restart is another run, with a log of its own. */
export interface ContainerRun {
  readonly pod: string;
  readonly container: string;
  /** Identifies the run among all runs of all pods. */
  readonly key: string;
  readonly isRunning: boolean;
  /** Why there is no log yet; undefined when there is one. */
  readonly waitsFor: string | undefined;
}

/** The current runs of a pod's containers, init containers first. */
export function containerRuns(pod: Pod, only?: string): readonly ContainerRun[] {
  const { initContainers = [], containers = [] } = pod.spec ?? {};
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  const statuses = new Map([...initContainerStatuses, ...containerStatuses].map((status) => [status.name, status]));
  return [...initContainers, ...containers]
    .filter(({ name }) => only === undefined || name === only)
    .map(({ name }) => runOf(pod, name, statuses.get(name)));
}

function runOf({ metadata }: Pod, container: string, status: ContainerStatus | undefined): ContainerRun {
  const { restartCount = 0, state, lastState } = status ?? {};
  const hasLog = state?.running !== undefined || state?.terminated !== undefined || lastState?.terminated !== undefined;
  return {
    pod: metadata?.name ?? '',
    container,
    key: `${metadata?.uid}/${container}/${restartCount}`,
    isRunning: state?.running !== undefined,
    waitsFor: hasLog ? undefined : (state?.waiting?.reason ?? 'not started'),
  };
}
