import { isPodRunningAndReady, type Pod } from '@manta/api';
import { ageMs, eventsOf, isHead, refOf, refText, timeMs } from '../lookup.ts';
import type { World } from '../world.ts';
import type { Cause, Detector } from './cause.ts';
import { containerStatuses, lastLines } from './container-statuses.ts';

/** The init container that the operator adds to workers. */
const WAIT_FOR_HEAD = 'wait-gcs-ready';
/** A Ray pod that runs this long should have become ready. */
const USUAL_START_MS = 120_000;

/** A pod that waits for the head, or that simply takes its time. */
export const podProgress: Detector<Pod> = (pod, world) => {
  if (isPodRunningAndReady(pod) || pod.status?.phase === 'Succeeded') return undefined;
  const object = refOf('Pod', pod);
  const waiting = pod.status?.initContainerStatuses?.find(
    ({ name, state }) => name === WAIT_FOR_HEAD && state?.running !== undefined,
  );
  if (waiting !== undefined && !isHead(pod))
    return {
      code: 'WaitingForHead',
      object,
      sentence: `${refText(object)} waits until the head answers`,
      evidence: [{ object, source: `status.initContainerStatuses[${WAIT_FOR_HEAD}]`, text: 'running' }],
      action: 'Wait for the head; if it is ready, check the head Service, DNS and network policies.',
      isProgress: true,
    };
  return starting(pod, world);
};

function starting(pod: Pod, world: World): Cause {
  const object = refOf('Pod', pod);
  const name = refText(object);
  const evidence = [{ object, source: 'status.phase', text: pod.status?.phase ?? 'Pending' }];
  const container = containerStatuses(pod).find(({ ready, state }) => !ready && state?.running !== undefined);
  const since = timeMs(container?.state?.running?.startedAt);
  if (container !== undefined && since !== undefined && world.now - since > USUAL_START_MS)
    return {
      code: 'NotReady',
      object,
      sentence: `container ${container.name} of ${name} has run for ${Math.round((world.now - since) / 1000)} s and is not ready`,
      evidence,
      lines: lastLines(world, pod, container.name),
      action: 'Read its last lines, and its events with kubectl describe pod.',
    };
  const pulling = eventsOf(world, object)[0]?.reason === 'Pulling';
  const step = pulling ? 'pulls its image' : pod.spec?.nodeName === undefined ? 'waits for a node' : 'starts';
  const seconds = Math.max(0, Math.round(ageMs(world, pod) / 1000));
  return {
    code: 'PodStarting',
    object,
    sentence: `${name} ${step} (for ${seconds} s)`,
    evidence,
    action: 'Wait.',
    isProgress: true,
  };
}
