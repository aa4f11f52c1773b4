import type { ContainerStateTerminated, ContainerStatus, Pod } from '@manta/api';
import { refOf, refText } from '../lookup.ts';
import type { World } from '../world.ts';
import type { Cause, Detector } from './cause.ts';
import type { CauseCode } from './codes.ts';
import { containerStatuses, isInitContainer, lastLines } from './container-statuses.ts';

/** A container that ended: out of memory, a wrong command, or an error of its own. */
export const crashes: Detector<Pod> = (pod, world) => {
  const failing = containerStatuses(pod).find((status) => endOf(pod, status) !== undefined);
  const end = failing === undefined ? undefined : endOf(pod, failing);
  return failing === undefined || end === undefined ? undefined : crashCause(pod, failing, end, world);
};

/** The end that matters: of a container that is down now. One that runs again counts only after an OOM kill while it is not ready. */
function endOf({ status }: Pod, { state, lastState, ready }: ContainerStatus): ContainerStateTerminated | undefined {
  const isDown = state?.waiting?.reason === 'CrashLoopBackOff';
  if (isDown) return lastState?.terminated ?? { exitCode: -1 };
  const ended = state?.terminated;
  if (ended !== undefined)
    return ended.exitCode === 0 && status?.phase !== 'Failed' ? undefined : ended.exitCode === 0 ? undefined : ended;
  return !ready && lastState?.terminated?.reason === 'OOMKilled' ? lastState.terminated : undefined;
}

function crashCause(pod: Pod, status: ContainerStatus, end: ContainerStateTerminated, world: World): Cause {
  const object = refOf('Pod', pod);
  const { name, restartCount } = status;
  const isLooping = status.state?.waiting?.reason === 'CrashLoopBackOff';
  const container = `container ${name} of ${refText(object)}`;
  const read = lastLines(world, pod, name);
  const lines =
    read.length > 0
      ? read
      : (end.message ?? '')
          .split('\n')
          .filter((line) => line !== '')
          .slice(-8);
  const text = `exit code ${end.exitCode}${end.reason === undefined ? '' : ` (${end.reason})`}, ${restartCount} restarts`;
  const evidence = [
    { object, source: `status.containerStatuses[${name}].${isLooping ? 'lastState' : 'state'}.terminated`, text },
  ];
  const found = (code: CauseCode, sentence: string, action: string): Cause => ({
    code,
    object,
    sentence,
    action,
    evidence,
    lines,
  });
  if (end.reason === 'OOMKilled') {
    const limit = limitOf(pod, name);
    return found(
      'OutOfMemory',
      `${container} used more memory than its limit${limit === undefined ? '' : ` of ${limit}`}, and the kernel killed it`,
      'Raise the memory limit in the pod template, or lower object_store_memory and the number of CPUs Ray may use.',
    );
  }
  const output = lines.join('\n');
  if (/version mismatch/i.test(output) && /ray|python/i.test(output))
    return found(
      'RayVersionMismatch',
      `${container} runs another version of Ray or Python than the head`,
      'Use the same image for the head and all worker groups.',
    );
  if (end.exitCode === 127 || end.exitCode === 126)
    return found(
      'CommandNotFound',
      `${container} names a command that its image does not have (exit code ${end.exitCode})`,
      'Correct command and args in the pod template, or use an image with Ray installed.',
    );
  if (isInitContainer(pod, status))
    return found(
      'InitContainerFailed',
      `init ${container} fails with exit code ${end.exitCode}`,
      'Read its output below and correct it in the pod template.',
    );
  const times = restartCount > 0 ? `, ${restartCount} times so far` : '';
  return isLooping
    ? found(
        'CrashLoop',
        `${container} ends with exit code ${end.exitCode}${times}`,
        'Read its last lines and correct the command, the image or rayStartParams.',
      )
    : found(
        'ContainerFailed',
        `${container} ended with exit code ${end.exitCode}`,
        'Read its last lines and correct the command, the image or rayStartParams.',
      );
}

function limitOf({ spec }: Pod, container: string): string | undefined {
  const found = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].find(({ name }) => name === container);
  const limit = found?.resources?.limits?.['memory'];
  return limit === undefined ? undefined : String(limit);
}
