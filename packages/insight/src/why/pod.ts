import { isPodRunningAndReady, type Pod } from '@manta/api';
import { isTerminating } from '../lookup.ts';
import type { World } from '../world.ts';
import { type Cause, type Detector, firstCause } from './cause.ts';
import { containerConfig, containerStart } from './containers.ts';
import { crashes } from './crashes.ts';
import { imageTrouble } from './images.ts';
import { nodeTrouble } from './node-trouble.ts';
import { podProgress } from './pod-progress.ts';
import { probeTrouble } from './probes.ts';
import { unscheduled } from './scheduling.ts';

/** In the order in which a pod meets them: a place, its node, images, configuration, start, run, readiness. */
const POD_DETECTORS: readonly Detector<Pod>[] = [
  nodeTrouble,
  unscheduled,
  imageTrouble,
  containerConfig,
  containerStart,
  crashes,
  probeTrouble,
  podProgress,
];

/** Why a pod is not ready; undefined if it is, or if it ended well. */
export function podCause(pod: Pod, world: World): Cause | undefined {
  if (isPodRunningAndReady(pod) && !isTerminating(pod)) return undefined;
  if (isTerminating(pod)) return nodeTrouble(pod, world);
  return firstCause(POD_DETECTORS, pod, world);
}
